-- Rates: what a USDT costs in each currency, as an operator has set it or as a feed brings it.

-- +goose Up

-- The last value of a source in a currency.
create table rate (
    currency text not null,
    fiat_per_usdt numeric(20, 8) not null check (fiat_per_usdt between 0.00000001 and 999999999999),
    -- An operator, or a feed.
    source text not null,
    observed_at timestamptz not null,
    -- From then on the rate is only the last known one. Infinity: never stale.
    stale_at timestamptz not null,
    -- The lowest that is not stale is used.
    priority integer not null default 0 check (priority >= 0),
    primary key (currency, source)
);
-- Of these there are few, and all are read again.
create trigger setting_changes before insert or update or delete on rate
    for each statement execute function setting_changes();

-- An address that a currency's rate is read from.
create table rate_feed (
    id bigint generated always as identity primary key,
    currency text not null,
    enabled boolean not null,
    priority integer not null check (priority between 1 and 1000),
    url text not null,
    -- JSON Pointer to the rate in the answer.
    pointer text not null,
    poll_seconds integer not null check (poll_seconds between 1 and 86400),
    timeout_ms integer not null check (timeout_ms between 100 and 60000),
    -- How far a value may be from the last good one.
    band_percent numeric(7, 4) not null check (band_percent between 0.01 and 100),
    fresh_seconds integer not null check (fresh_seconds between 1 and 604800),
    next_poll_at timestamptz not null,
    polled_at timestamptz,
    -- What was wrong with the last answer.
    error text,
    -- How far a value may be from the last day's median: a feed that creeps stays within the band of the value before.
    day_band_percent numeric(7, 4) not null default 10 check (day_band_percent between 0.01 and 100),
    -- When it last brought a value that was believed, when it last brought none, and how often in a row it has brought none.
    good_at timestamptz,
    failed_at timestamptz,
    failures integer not null default 0,
    -- What was wrong the last time that something was.
    last_error text
);
create index rate_feed_due_idx on rate_feed (next_poll_at) where enabled;
create index rate_feed_failing_idx on rate_feed (polled_at) where enabled and error is not null;

-- What a feed brought in a minute of the last day, of which the median is.
create table rate_observation (
    feed_id bigint not null references rate_feed,
    minute timestamptz not null,
    fiat_per_usdt numeric(20, 8) not null check (fiat_per_usdt between 0.00000001 and 999999999999),
    primary key (feed_id, minute)
);

-- What was in use before a rate was set by hand, for as long as it says how far the next one may be set.
create table rate_anchor (
    id bigint generated always as identity primary key,
    currency text not null,
    at timestamptz not null,
    fiat_per_usdt numeric(20, 8) not null
);
create index rate_anchor_currency_idx on rate_anchor (currency, id);
