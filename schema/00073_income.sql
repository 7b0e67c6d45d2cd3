-- What the platform earns: its share of payments and payouts, by day, merchant and method.

-- +goose Up
-- What was moved to and from the platform for a payment or payout. A day's income is what was booked on that day: a reversal
-- counts on the day on which it is made, so a day that is over stays as it is.
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
