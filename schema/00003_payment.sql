-- A payment's life, the rates it may use, and the webhooks it sends.

-- +goose Up
create table rate (
    currency text primary key,
    fiat_per_usdt numeric(20, 8) not null check (fiat_per_usdt between 0.00000001 and 999999999999),
    source text not null,
    observed_at timestamptz not null,
    -- From then on the rate is only the last known one. Infinity: never stale.
    stale_at timestamptz not null
);

create sequence payment_id_seq;

-- Lifelong uniqueness of a merchant's order ids, per effective method.
create table payment_key (
    merchant_id bigint not null,
    channel text not null,
    order_id text not null,
    payment_id bigint not null,
    primary key (merchant_id, channel, order_id)
);

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

    -- Snapshot of the requisite; never changed by later edits.
    trader_id bigint not null,
    requisite_id bigint,
    requisite_type text,
    requisite_method text,
    requisite_value text,
    requisite_holder text,
    requisite_bank text,

    -- The calculation. While rate_unavailable, the rate is the last known one and only the hold stands.
    base_rate numeric(20, 8) not null,
    rate_source text not null,
    rate_unavailable boolean not null,
    markup_percent numeric(7, 4) not null,
    trader_share_percent numeric(7, 4) not null,
    hold_usdt numeric(28, 8) not null,
    amount_usdt numeric(28, 8) not null,
    profit_usdt numeric(28, 8) not null,
    spread_trader_usdt numeric(28, 8) not null,
    spread_platform_usdt numeric(28, 8) not null,

    primary key (merchant_id, id),
    check (spread_trader_usdt + spread_platform_usdt = profit_usdt)
);
create index payment_id_idx on payment (id);
create index payment_uuid_idx on payment (uuid);
create index payment_trader_idx on payment (trader_id, id);
create index payment_expiry_idx on payment (expires_at) where status = 'pending';

create table payment_history (
    merchant_id bigint not null,
    payment_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'key:12', 'trader:3', 'application', 'system'.
    actor text not null,
    from_status text,
    to_status text not null,
    reason text,
    primary key (merchant_id, payment_id, id)
);
create trigger payment_history_append_only before update or delete or truncate on payment_history
    for each statement execute function append_only();

-- Completed payments that wait for a fresh rate to be settled at.
create table settlement_due (
    merchant_id bigint not null,
    payment_id bigint not null,
    currency text not null,
    since timestamptz not null,
    primary key (merchant_id, payment_id)
);

create table webhook_event (
    merchant_id bigint not null,
    id uuid not null,
    cashbox_id bigint not null,
    type text not null,
    -- What the event is about: 'payment' and its id; sequence counts its events without gaps.
    subject text not null,
    subject_id bigint not null,
    sequence integer not null,
    url text not null,
    body bytea not null,
    created_at timestamptz not null,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
    primary key (merchant_id, id),
    constraint webhook_event_sequence unique (merchant_id, subject, subject_id, sequence)
);

create table webhook_attempt (
    merchant_id bigint not null,
    event_id uuid not null,
    id bigint generated always as identity,
    at timestamptz not null,
    duration_ms integer not null,
    -- Null when no answer came.
    status_code integer,
    -- The first 2 KiB of the answer.
    answer bytea,
    -- Why no answer came, in words fit for the merchant.
    error text,
    primary key (merchant_id, event_id, id)
);

-- The sandbox's test clock: one row, and only in a sandbox.
create table test_clock (
    singleton boolean primary key default true check (singleton),
    offset_seconds bigint not null check (offset_seconds >= 0),
    -- Which sandbox key this database was seeded with.
    seed_fingerprint text not null
);
