-- How many payments there are, and of how much, by the hour of their creation and their status: what overviews are drawn from.

-- +goose Up
-- The job that counts goes through the history in the order of its ids.
alter table payment_history alter column id set not null;
create unique index payment_history_id_idx on payment_history (id);
-- The audit counts an hour's payments again. Payments lie in the order of their creation, so this index is a few pages.
create index payment_created_idx on payment using brin (created_at) with (autosummarize = on);

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

-- One row: everything in the history up to this id is counted, without what is in payment_history_gap. Who holds its lock counts.
create table payment_hour_progress (
    only_row boolean primary key default true check (only_row),
    last_id bigint not null
);
-- What there is already, the job counts like what comes.
insert into payment_hour_progress (last_id) values (0);

-- Ids below last_id that nobody has seen yet: their transaction had not committed, or it never did.
create table payment_history_gap (
    id bigint primary key,
    since timestamptz not null
);
