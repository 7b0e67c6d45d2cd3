-- Payments: a payer's money for a merchant, through a trader.

-- +goose Up
create sequence payment_id_seq;

-- A merchant's order id, which is good for one payment of an effective method, for good.
create table payment_key (
    merchant_id bigint not null,
    channel text not null,
    order_id text not null,
    payment_id bigint not null,
    primary key (merchant_id, channel, order_id)
);

-- A payment. internal/payment converts the row to the parameters of its insertion: the columns keep their order.
create table payment (
    merchant_id bigint not null,
    id bigint not null,
    uuid uuid not null,
    cashbox_id bigint not null,
    order_id text not null,
    method text not null,
    currency text not null,
    amount numeric(14, 2) not null check (amount between 1 and 999999999999.99),
    description text,
    callback_uri text not null,
    -- What the merchant says of the payer; the numbers are of payments that were paid and that expired.
    payer_user_id text,
    payer_ip text,
    payer_full_name text,
    payer_type text,
    payer_successful bigint,
    payer_expired bigint,
    provider_payment_id text,

    status text not null check (status in ('pending', 'completed', 'failed', 'cancelled', 'appeal')),
    status_reason text,
    status_at timestamptz not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    -- The number of the last webhook event.
    event_sequence integer not null default 0,

    -- Snapshot of the requisite; never changed by later edits. What the payer sends money to is
    -- at the end, sealed.
    trader_id bigint not null,
    requisite_id bigint,
    requisite_type text,
    requisite_method text,
    requisite_holder text,
    requisite_bank text,

    -- The calculation. While rate_unavailable, the rate is the last known one and only the hold stands.
    base_rate numeric(20, 8) not null,
    rate_source text not null,
    rate_unavailable boolean not null,
    markup_percent numeric(7, 4) not null,
    -- As a percent of spot.
    trader_share_percent numeric(7, 4) not null,
    hold_usdt numeric(28, 8) not null,
    amount_usdt numeric(28, 8) not null,
    profit_usdt numeric(28, 8) not null,
    spread_trader_usdt numeric(28, 8) not null,
    spread_platform_usdt numeric(28, 8) not null,

    -- The day of its requisite that the payment counts towards; null where none does.
    requisite_day date,
    rate_observed_at timestamptz,
    markup_source text not null default 'configuration'
        check (markup_source in ('body', 'cashbox_method', 'merchant', 'trader', 'configuration')),
    -- Raised by whatever changes the payment. Who changes one that they have read says at which version, and writes -1 where that
    -- has gone by: so of two at a time one is refused and reads again.
    version integer not null default 0 constraint payment_version check (version >= 0),
    -- Where the payer goes back to, and when they first said that they have paid.
    return_url text,
    payer_claimed_at timestamptz,
    -- The id of the creation's request, and the address it came from.
    request_id text,
    request_address text,
    -- How many requisites of the pool could be given payments at all, and how many were looked at before this one was taken.
    choice_pool integer,
    choice_looked integer,
    -- The requisites that the choice passed by, as [[rule, id], ...] in their order; null where it took the first. At most 100 are
    -- kept; choice_looked says how many were looked at.
    choice_passed jsonb,
    -- The sealed bytes of the requisite as they were, so that nothing is sealed while a payment is made. Associated data:
    -- requisite, value, requisite_id. Null for card checkout.
    requisite_sealed bytea,
    requisite_last4 text,

    primary key (merchant_id, id),
    check (spread_trader_usdt + spread_platform_usdt = profit_usdt)
);
create index payment_id_idx on payment (id);
create index payment_uuid_idx on payment (uuid);
create index payment_expiry_idx on payment (expires_at) where status = 'pending';
-- A merchant's pending payments, in the order of a list.
create index payment_open_idx on payment (merchant_id, id) where status = 'pending';
create index payment_trader_idx on payment (trader_id, id);
-- A trader's list by status does not read what is in another.
create index payment_trader_status_idx on payment (trader_id, status, id);
-- What a trader's desk shows: their open payments, those that end first before the others.
create index payment_desk_idx on payment (trader_id, expires_at, id) where status = 'pending';
-- Lists of what did not simply complete. A creation does not write these.
create index payment_merchant_seldom_idx on payment (merchant_id, status, id) where status in ('failed', 'cancelled', 'appeal');
create index payment_seldom_idx on payment (status, id) where status in ('failed', 'cancelled', 'appeal');
-- A payer's payments with one merchant, newest first. Payments without a payer cost it nothing.
create index payment_player_idx on payment (payer_user_id, merchant_id, id) where payer_user_id is not null;
-- The audit counts an hour's payments again. Payments lie in the order of their creation, so this index is a few pages.
create index payment_created_idx on payment using brin (created_at) with (autosummarize = on);

-- A change of a payment's status, the first of which is its creation. It has partitions of months, as transfer has.
create sequence payment_history_id_seq;
create table payment_history (
    merchant_id bigint not null,
    payment_id bigint not null,
    id bigint not null default nextval('payment_history_id_seq'),
    at timestamptz not null,
    -- Who: 'key:12', 'trader:3', 'application', 'system'.
    actor text not null,
    -- Null at the creation.
    from_status text,
    to_status text not null,
    reason text
) partition by range (at);
alter sequence payment_history_id_seq owned by payment_history.id;
-- The job that counts goes through the history in the order of its ids. The sequence gives each once, so the index need not prove
-- it: a table that is distributed by merchant can have no unique index without the merchant.
create index payment_history_id_idx on payment_history (id);
create trigger payment_history_append_only before update or delete or truncate on payment_history
    for each statement execute function append_only();

create table payment_history_other partition of payment_history (primary key (merchant_id, payment_id, id)) default;
create trigger payment_history_other_append_only before update or delete or truncate on payment_history_other
    for each statement execute function append_only();
-- +goose StatementBegin
do $$
begin
    execute format('create table payment_history_first partition of payment_history (primary key (merchant_id, payment_id, id))
        for values from (minvalue) to (%L)', date_trunc('month', now(), 'UTC') + interval '2 months');
end $$;
-- +goose StatementEnd
create trigger payment_history_append_only before update or delete or truncate on payment_history_first
    for each statement execute function append_only();

-- What was done about a payment beside its changes of status. It holds no secret, and of a card its last four digits.
create table payment_step (
    merchant_id bigint not null,
    payment_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'payer', 'trader:3', 'key:12'.
    actor text not null,
    what text not null check (what in ('page_opened', 'card_entered', 'code_requested', 'code_resent', 'code_entered',
        'code_not_needed', 'time_given_back')),
    detail jsonb not null default '{}',
    primary key (merchant_id, payment_id, id)
);
create trigger payment_step_append_only before update or delete or truncate on payment_step
    for each statement execute function append_only();

-- A completed payment that waits for a fresh rate to be settled at.
create table settlement_due (
    merchant_id bigint not null,
    payment_id bigint not null,
    currency text not null,
    since timestamptz not null,
    primary key (merchant_id, payment_id)
);
