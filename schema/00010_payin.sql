-- Payouts, which paths and identifiers call payins: what a merchant has a trader pay out to a recipient.

-- +goose Up
-- The methods the platform pays out by, per currency.
create table payout_method (
    method text not null,
    currency text not null,
    primary key (method, currency)
);
insert into payout_method (method, currency) values ('sbp', 'RUB'), ('c2c', 'RUB');

create table cashbox_payout_method (
    cashbox_id bigint not null references cashbox,
    method text not null,
    enabled boolean not null default true,
    -- Added to the base rate: what the merchant pays above the spot.
    markup_percent numeric(7, 4) not null check (markup_percent between 0 and 100),
    -- How long a payout of this method waits for a trader, and how long he has from then on is what is left of it.
    validity_seconds integer not null default 86400 check (validity_seconds between 1 and 604800),
    primary key (cashbox_id, method)
);

-- What a trader can pay out.
create table trader_payout_method (
    trader_id bigint not null references trader,
    currency text not null,
    method text not null,
    enabled boolean not null default true,
    primary key (trader_id, currency, method)
);

create sequence payin_id_seq;

-- Lifelong uniqueness of a merchant's payout ids, per method.
create table payin_key (
    merchant_id bigint not null,
    channel text not null,
    order_id text not null,
    payin_id bigint not null,
    primary key (merchant_id, channel, order_id)
);

create table payin (
    merchant_id bigint not null,
    id bigint not null,
    uuid uuid not null,
    cashbox_id bigint not null,
    order_id text not null,
    method text not null,
    currency text not null,
    amount numeric(14, 2) not null check (amount between 1 and 999999999999.99),
    callback_uri text not null,

    -- The recipient's requisite. Sealed; associated data: payin, address, id.
    address bytea not null,
    -- What of it everybody may see: its last four digits.
    address_mask text not null,
    recipient text not null,
    bank_code text,
    bank_name text,
    user_id text,
    user_ip text,

    status text not null check (status in ('waiting', 'processing', 'completed', 'failed', 'cancelled', 'expired')),
    status_reason text,
    status_at timestamptz not null,
    -- Nobody took it by then: it expires. Taken and still not done: the operator looks after it.
    expires_at timestamptz not null,
    created_at timestamptz not null,
    -- The number of the last webhook event.
    event_sequence integer not null default 0,

    trader_id bigint,
    taken_at timestamptz,
    proof_reference text,

    -- The calculation: the amount at the base rate, and with the markup.
    base_rate numeric(20, 8) not null,
    rate_source text not null,
    rate_observed_at timestamptz not null,
    markup_percent numeric(7, 4) not null,
    spot_usdt numeric(28, 8) not null check (spot_usdt between 0 and 99999999999999999999),
    frozen_usdt numeric(28, 8) not null check (frozen_usdt between spot_usdt and 99999999999999999999),
    -- How the frozen money is divided on completion, at the terms of the trader who took it.
    trader_share_percent numeric(7, 4),
    trader_usdt numeric(28, 8),
    platform_usdt numeric(28, 8),

    primary key (merchant_id, id),
    constraint payin_taken check ((status in ('waiting', 'cancelled', 'expired')) = (trader_id is null)),
    constraint payin_divided check (
        trader_id is null and taken_at is null and trader_share_percent is null and trader_usdt is null and platform_usdt is null
        or taken_at is not null and trader_share_percent is not null
            and trader_usdt between spot_usdt and frozen_usdt and trader_usdt + platform_usdt = frozen_usdt)
);
create index payin_id_idx on payin (id);
create index payin_uuid_idx on payin (uuid);
create index payin_trader_idx on payin (trader_id, id) where trader_id is not null;
create index payin_waiting_idx on payin (currency, method, id) where status = 'waiting';
create index payin_open_idx on payin (status, expires_at) where status in ('waiting', 'processing');

create table payin_history (
    merchant_id bigint not null,
    payin_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'key:12', 'trader:3', 'operator:1', 'system'.
    actor text not null,
    from_status text,
    to_status text not null,
    reason text,
    primary key (merchant_id, payin_id, id)
);
create trigger payin_history_append_only before update or delete or truncate on payin_history
    for each statement execute function append_only();
