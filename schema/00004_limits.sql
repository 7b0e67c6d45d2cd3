-- What an operator sets: further limits of requisites, limits of cashbox methods, users switched off, rates by source,
-- and the log of every such change.

-- +goose Up
alter table requisite
    add column enabled boolean not null default true,
    -- The day and the hours of this zone count.
    add column time_zone text not null default 'Europe/Moscow',
    add column daily_count integer check (daily_count > 0),
    add column daily_sum numeric(14, 2) check (daily_sum between 0.01 and 999999999999.99),
    add column open_payments integer check (open_payments > 0),
    -- Both or neither; from after until means over midnight.
    add column work_from time,
    add column work_until time,
    add column weight integer not null default 1 check (weight between 1 and 1000),
    add constraint requisite_hours check ((work_from is null) = (work_until is null));
comment on column requisite.active is 'requisite.enabled and trader.enabled, kept so that choosing stays within the pool';

drop index requisite_choice_idx;
create index requisite_choice_idx on requisite (currency, method, last_used_at, weight desc, id) where active;

-- What a requisite was given in one day of its own zone. Payments that ended unpaid are taken off again.
create table requisite_day (
    requisite_id bigint not null,
    day date not null,
    count integer not null check (count >= 0),
    sum numeric(16, 2) not null check (sum between 0 and 99999999999999),
    primary key (requisite_id, day)
);

-- The day the payment counts towards; null where none does.
alter table payment
    add column requisite_day date,
    add column rate_observed_at timestamptz,
    add column markup_source text not null default 'configuration'
        check (markup_source in ('body', 'cashbox_method', 'merchant', 'trader', 'configuration'));

alter table cashbox_method
    add column min_amount numeric(14, 2) check (min_amount between 0 and 999999999999.99),
    add column max_amount numeric(14, 2) check (max_amount between 0 and 999999999999.99);

alter table app_user add column enabled boolean not null default true;

-- Rates by source: what the operator set, and what each feed last brought.
alter table rate drop constraint rate_pkey;
alter table rate add column priority integer not null default 0 check (priority >= 0);
alter table rate add primary key (currency, source);

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
    error text
);
create index rate_feed_due_idx on rate_feed (next_poll_at) where enabled;

create table setting_change (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    actor text not null,
    subject text not null,
    subject_key text not null,
    before jsonb,
    after jsonb not null
);
create index setting_change_subject_idx on setting_change (subject, subject_key, id);
create trigger setting_change_append_only before update or delete or truncate on setting_change
    for each statement execute function append_only();

-- The feed of a merchant's events goes by transaction, then by number. A reader sees the transactions below the oldest
-- one still open, so that nothing ever appears before a cursor that has gone by.
create sequence webhook_event_number_seq;
alter table webhook_event
    add column number bigint not null default nextval('webhook_event_number_seq'),
    add column xid xid8 not null default pg_current_xact_id();
create index webhook_event_feed_idx on webhook_event (merchant_id, xid, number);
create index webhook_event_dead_idx on webhook_event (number) where status = 'dead';
