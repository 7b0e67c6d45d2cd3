-- Which keys of the environment the data needs, so that a start without one of them is refused instead of failing call by
-- call, and so that replicas notice when their keys differ.

-- +goose Up
create table secret_key (
    -- A vault key seals, a link key signs the links of hosted pages.
    purpose text not null check (purpose in ('vault', 'link')),
    -- The first four bytes of the key's SHA-256, in hex. Of a vault key, these stand near the beginning of all it sealed.
    fingerprint text not null,
    -- When a process last ran with the key as its first, the one in use.
    seen_at timestamptz not null,
    primary key (purpose, fingerprint)
);

-- Everything sealed by the vault, with the key that opens it. The first byte is the format's version.
create view sealed_value as
select place, encode(substring(value from 2 for 4), 'hex') as fingerprint from (
    select 'cashbox.webhook_secret' as place, webhook_secret as value from cashbox
    union all select 'webhook_secret_previous.secret', secret from webhook_secret_previous
    union all select 'app_user.totp_secret', totp_secret from app_user
    union all select 'payin.address', address from payin
    union all select 'payment_card.pan', pan from payment_card
    union all select 'payment_card.expiry', expiry from payment_card
    union all select 'payment_card.holder', holder from payment_card
    union all select 'trader_acquirer.secret', secret from trader_acquirer
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;

insert into secret_key (purpose, fingerprint, seen_at) select distinct 'vault', fingerprint, now() from sealed_value;
