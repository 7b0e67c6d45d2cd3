-- Statements of accounts: what was moved to and from each, and what it had at the end of each day.

-- +goose Up
-- An identity is never null: said once more for the tools that read this.
alter table transfer alter column id set not null;

-- A transfer between two accounts of one owner, such as each hold, stands in the first of these only, so that it costs a
-- creation one entry: an owner is the account's id without its last bit, which tells available from reserved.
create index transfer_debit_idx on transfer ((debit_account >> 1), created_at, id);
create index transfer_credit_idx on transfer ((credit_account >> 1), created_at, id)
    where (debit_account >> 1) <> (credit_account >> 1);

-- What an account had at the end of a day, in UTC, on which something was moved to or from it.
create table account_day (
    id bigint generated always as identity,
    account_id bigint not null,
    day date not null,
    balance numeric(28, 8) not null,
    primary key (account_id, day)
);
-- The audit goes through them in the order they were made.
create index account_day_id_idx on account_day (id);

-- One row: the last day that is closed. Every movement before its end is in account_day.
create table account_day_closed (
    only_row boolean primary key default true check (only_row),
    day date not null
);
-- What there is so far, up to the last day that is surely over.
insert into account_day (account_id, day, balance)
select account_id, day, sum(moved) over (partition by account_id order by day)
from (
    select m.account_id, (t.created_at at time zone 'UTC')::date as day, sum(m.amount) as moved
    from transfer t
    cross join lateral (values (t.debit_account, -t.amount), (t.credit_account, t.amount)) m (account_id, amount)
    group by 1, 2
) days
where day < ((now() - interval '1 hour') at time zone 'UTC')::date;
insert into account_day_closed (day)
select ((now() - interval '1 hour') at time zone 'UTC')::date - 1 where exists (select from transfer);
analyze transfer;
