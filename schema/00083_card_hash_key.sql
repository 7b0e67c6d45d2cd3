-- Hashes by which cards are told apart have a key of their own. It was derived from the first vault key, so a card looked new
-- as soon as another vault key came first.

-- +goose Up
create table card_hash_key (
    only_row boolean primary key default true check (only_row),
    -- Sealed; associated data: card_hash_key, key, 1.
    key bytea not null
);

create or replace view sealed_value as
select place, encode(substring(value from 2 for 4), 'hex') as fingerprint from (
    select 'cashbox.webhook_secret' as place, webhook_secret as value from cashbox
    union all select 'webhook_secret_previous.secret', secret from webhook_secret_previous
    union all select 'app_user.totp_secret', totp_secret from app_user
    union all select 'session.totp_pending', totp_pending from session
    union all select 'payin.address', address from payin
    union all select 'payment_card.pan', pan from payment_card
    union all select 'payment_card.expiry', expiry from payment_card
    union all select 'payment_card.holder', holder from payment_card
    union all select 'trader_acquirer.secret', secret from trader_acquirer
    union all select 'card_hash_key.key', key from card_hash_key
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;
