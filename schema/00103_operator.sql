-- What one operator moves alone, who set an operator up, and proposals of more kinds.

-- +goose Up
-- USDT that one operator moved without a second one. What was moved in a day is bounded, and not only each movement.
create table operator_movement (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    operator_id bigint not null references app_user,
    -- Whose USDT they were: 'cashbox 7', say.
    owner text not null,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999)
);
create index operator_movement_operator_idx on operator_movement (operator_id, at);
create index operator_movement_owner_idx on operator_movement (owner, at);
create trigger operator_movement_append_only before update or delete or truncate on operator_movement
    for each statement execute function append_only();

alter table app_user
    -- When somebody made, invited or raised this operator, or switched them on, and who: the one who proposed it where two
    -- did. Nobody approves what the one who set them up proposes, nor anything in their first day.
    add column set_up_at timestamptz,
    add column set_up_by bigint references app_user,
    -- Nobody else had to approve that.
    add column set_up_alone boolean not null default false;

alter table proposal
    drop constraint proposal_action_check,
    add constraint proposal_action_check check (action in ('fund_trader', 'withdraw_trader', 'correct', 'confirm_deposit',
        'set_insurance', 'set_rate', 'set_rate_feed', 'create_user', 'update_user', 'invite_user', 'set_acquirer',
        'create_requisite', 'set_cashbox_method', 'update_merchant', 'update_trader', 'resolve_appeal',
        'resolve_payin', 'reverse_payin')),
    -- What of it is secret, sealed, until it is decided.
    add column secrets bytea;

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
    union all select 'requisite.sealed', sealed from requisite
    union all select 'proposal.secrets', secrets from proposal
    union all select 'payment.requisite_sealed', requisite_sealed from payment
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;
