-- What payers send money to is sealed, in requisites and in the payments that were given them, and no two reservations share a
-- phone, card or account and an amount, whichever requisites have it. Processes of the version before may go on: they read and
-- write value and requisite_value, which stay in the clear until none of them is left, and then are sealed by internal/reseal.

-- +goose Up
alter table requisite
    -- Empty for a desk that takes cards, null once it is sealed.
    alter column value drop not null,
    -- Sealed; associated data: requisite, value, id.
    add column sealed bytea,
    -- What tells values apart: of currency and value, keyed by card_hash_key.
    add column hash bytea,
    add column last4 text,
    add constraint requisite_sealed check ((value is null) = (sealed is not null)),
    add constraint requisite_sealed_whole check (sealed is null or hash is not null and last4 is not null);
create index requisite_hash_idx on requisite (hash);

-- A payment has the sealed bytes of its requisite as they were, so that nothing is sealed while it is made.
alter table payment
    -- Sealed; associated data: requisite, value, requisite_id.
    add column requisite_sealed bytea,
    add column requisite_last4 text;
create index payment_requisite_clear_idx on payment (merchant_id, id) where requisite_value is not null;

-- Null is only what a process of the version before has written for a requisite without a hash, or what was there twice.
alter table requisite_slot add column hash bytea;
-- It is named as the check is that says the same, so that processes of the version before know what it refuses.
create unique index requisite_slot_free on requisite_slot (hash, amount);

-- +goose StatementBegin
create function requisite_slot_hashed() returns trigger language plpgsql as $$
begin
    new.hash := (select hash from requisite where id = new.requisite_id);
    return new;
end $$;
-- +goose StatementEnd
create trigger requisite_slot_hashed before insert on requisite_slot
    for each row when (new.hash is null) execute function requisite_slot_hashed();

-- The log of settings has the last four characters, whoever writes it.
create function requisite_masked(setting jsonb) returns jsonb language sql immutable
    return case when setting ->> 'value' <> '' and setting ->> 'value' not like '•••• %'
        then jsonb_set(setting, '{value}', to_jsonb('•••• ' || right(setting ->> 'value', 4))) else setting end;
alter table setting_change disable trigger setting_change_append_only;
update setting_change set before = requisite_masked(before), after = requisite_masked(after) where subject = 'requisite';
alter table setting_change enable trigger setting_change_append_only;
-- +goose StatementBegin
create function setting_change_masked() returns trigger language plpgsql as $$
begin
    new.before := requisite_masked(new.before);
    new.after := requisite_masked(new.after);
    return new;
end $$;
-- +goose StatementEnd
create trigger setting_change_masked before insert on setting_change
    for each row when (new.subject = 'requisite') execute function setting_change_masked();

-- Each process notes its keys every minute, and from this version on that it can open requisites. One that does not note that
-- is of the version before.
alter table secret_key
    add column noted_at timestamptz,
    add column older_at timestamptz;
update secret_key set older_at = clock_timestamp();
-- +goose StatementBegin
create function secret_key_noted() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        if new.noted_at is not distinct from old.noted_at then
            new.older_at := clock_timestamp();
        end if;
    elsif new.noted_at is null then
        new.older_at := clock_timestamp();
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger secret_key_noted before insert or update on secret_key for each row execute function secret_key_noted();

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
    union all select 'payment.requisite_sealed', requisite_sealed from payment
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;
