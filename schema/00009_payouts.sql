-- Payouts, which paths and identifiers call payins: what a merchant has a trader pay out to a recipient.

-- +goose Up
create sequence payin_id_seq;

-- A merchant's payout id, which is good for one payout of a method, for good.
create table payin_key (
    merchant_id bigint not null,
    channel text not null,
    order_id text not null,
    payin_id bigint not null,
    primary key (merchant_id, channel, order_id)
);

-- A payout.
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

    -- The recipient's requisite. Sealed; associated data: payin, address, id. Null once it is removed. The mask stays.
    address bytea,
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

    -- The id of the creation's request, and the address it came from.
    request_id text,
    request_address text,

    primary key (merchant_id, id),
    constraint payin_taken check ((status in ('waiting', 'cancelled', 'expired')) = (trader_id is null)),
    constraint payin_divided check (
        trader_id is null and taken_at is null and trader_share_percent is null and trader_usdt is null and platform_usdt is null
        or taken_at is not null and trader_share_percent is not null
            and trader_usdt between spot_usdt and frozen_usdt and trader_usdt + platform_usdt = frozen_usdt)
);
create index payin_id_idx on payin (id);
create index payin_uuid_idx on payin (uuid);
create index payin_waiting_idx on payin (currency, method, id) where status = 'waiting';
create index payin_open_idx on payin (status, expires_at) where status in ('waiting', 'processing');
-- What waits for operators is found by its age.
create index payin_taken_idx on payin (taken_at) where status = 'processing';
create index payin_trader_idx on payin (trader_id, id) where trader_id is not null;
-- Lists by status do not read what is in another.
create index payin_status_idx on payin (status, id);
create index payin_merchant_status_idx on payin (merchant_id, status, id);
create index payin_trader_status_idx on payin (trader_id, status, id) where trader_id is not null;
create index payin_purge_idx on payin (status_at)
    where address is not null and status in ('completed', 'failed', 'cancelled', 'expired');

-- A change of a payout's status, the first of which is its creation.
create table payin_history (
    merchant_id bigint not null,
    payin_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'key:12', 'trader:3', 'operator:1', 'system'.
    actor text not null,
    -- Null at the creation.
    from_status text,
    to_status text not null,
    reason text,
    primary key (merchant_id, payin_id, id)
);
create trigger payin_history_append_only before update or delete or truncate on payin_history
    for each statement execute function append_only();

-- A trader took a payout. Takes are bounded by the hour, and one that a trader gave back is not offered to them again.
create table payin_take (
    trader_id bigint not null,
    payin_id bigint not null,
    at timestamptz not null,
    given_back_at timestamptz,
    primary key (trader_id, payin_id)
);
create index payin_take_at_idx on payin_take (trader_id, at);
create index payin_take_given_back_idx on payin_take (given_back_at) where given_back_at is not null;

-- What was asked for with a key that has a limit, by days in UTC. A payout that ended unpaid counts as well.
create table key_payout_day (
    key_id bigint not null references api_key,
    day date not null,
    amount numeric(18, 2) not null check (amount > 0),
    primary key (key_id, day)
);
