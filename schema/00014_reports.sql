-- What overviews and lists are drawn from: sums by hour and day, and what merchants' programs asked.

-- +goose Up

-- How many payments there are, and of how much, by the hour of their creation and their status.
create table payment_hour (
    merchant_id bigint not null,
    -- The beginning of an hour, in UTC.
    hour timestamptz not null,
    cashbox_id bigint not null,
    method text not null,
    currency text not null,
    status text not null,
    -- Of completed payments, which of the spans of internal/report the time from creation to first completion lies in; -1 otherwise.
    span smallint not null,
    payments bigint not null,
    amount numeric(24, 2) not null,
    -- The seconds from creation to first completion of all of them.
    seconds bigint not null,
    primary key (merchant_id, hour, cashbox_id, method, currency, status, span)
);
-- The audit compares all merchants' hours.
create index payment_hour_idx on payment_hour (hour);

-- One row: everything in payment_history up to this id is counted, without what is in payment_history_gap. Who holds its lock
-- counts.
create table payment_hour_progress (
    only_row boolean primary key default true check (only_row),
    last_id bigint not null
);
insert into payment_hour_progress (last_id) values (0);

-- An id below last_id that nobody has seen yet: its transaction had not committed, or it never did.
create table payment_history_gap (
    id bigint primary key,
    since timestamptz not null
);

-- The lowest id of what was created on a day, in UTC, or later. Lists by date read no row outside their days by it.
create table day_first_id (
    subject text not null check (subject in ('payment', 'payin')),
    day date not null,
    first_id bigint not null,
    primary key (subject, day)
);

-- How many creations found no requisite, by the hour and by the rule that dropped the closest candidate.
create table routing_refusal_hour (
    -- The beginning of an hour, in UTC.
    hour timestamptz not null,
    merchant_id bigint not null,
    currency text not null,
    method text not null,
    cause text not null,
    refusals bigint not null,
    primary key (hour, merchant_id, currency, method, cause)
);

-- What was moved to and from the platform, which is owner 1 and has account 2, for a payment or payout. A day's income is what was
-- booked on that day: a reversal counts on the day on which it is made, so a day that is over stays as it is.
create view income_moved as
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount as earned, 0::numeric(28, 8) as reversed
from transfer t join payment p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount
from transfer t join payment p on p.id = t.subject_id
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount, 0::numeric(28, 8)
from transfer t join payin p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payin'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount
from transfer t join payin p on p.id = t.subject_id
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payin';

-- What the platform earned in USDT on a day: its share of payments and payouts, by merchant and method.
create table income_day (
    -- In UTC.
    day date not null,
    merchant_id bigint not null,
    -- payment or payin.
    subject text not null,
    method text not null,
    currency text not null,
    earned numeric(28, 8) not null,
    reversed numeric(28, 8) not null,
    primary key (day, merchant_id, subject, method, currency)
);

-- One row: every day up to this one is in income_day.
create table income_day_closed (
    only_row boolean primary key default true check (only_row),
    day date not null
);

-- What a merchant's program asked of the API lately, for its developers: never a body, never a secret. Rows come in batches, in
-- about the order of time, and go in the same order after seven days: so the ids of what is old are the lowest. Nothing refers to
-- them, and they refer to nothing: writing one must not lock the row of its merchant.
create table api_request (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    -- When it came.
    at timestamptz not null,
    method text not null,
    -- The pattern of the path, or the procedure. The path itself may be a credential.
    path text not null,
    status smallint not null,
    -- The code of the error, '' where there is none.
    code text not null,
    key_id text not null,
    -- The X-Request-Id of the answer; '' where it could be a secret that somebody put there.
    request_id text not null,
    duration_us bigint not null
);
create index api_request_merchant_idx on api_request (merchant_id, id);
create index api_request_named_idx on api_request (merchant_id, request_id) where request_id <> '';
