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

-- One row: the last day that is closed. Every movement before its end is in account_day. A job closes the days one by one, those
-- that are long over, too.
create table account_day_closed (
    only_row boolean primary key default true check (only_row),
    day date not null
);
analyze transfer;
