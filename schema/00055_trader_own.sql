-- What traders set themselves: limits of their requisites within what operators allow, and a break.

-- +goose Up
alter table trader add column on_break boolean not null default false;

alter table requisite
    -- The trader's own switch and limits, beside the operators'. The stricter of two holds.
    add column own_enabled boolean not null default true,
    add column own_min_amount numeric(14, 2) check (own_min_amount between 0 and 999999999999.99),
    add column own_max_amount numeric(14, 2) check (own_max_amount between 0 and 999999999999.99),
    add column own_daily_count integer check (own_daily_count > 0),
    add column own_daily_sum numeric(14, 2) check (own_daily_sum between 0.01 and 999999999999.99),
    add column own_open_payments integer check (own_open_payments > 0),
    -- Both or neither, of a zone of their own: null is the requisite's. The day that limits count by is the requisite's.
    add column own_work_from time,
    add column own_work_until time,
    add column own_time_zone text,
    add constraint requisite_own_hours check ((own_work_from is null) = (own_work_until is null)),
    add constraint requisite_own_amounts check (own_min_amount <= own_max_amount);

-- What holds. Of a null and a number, greatest and least take the number.
alter table requisite
    add column effective_min_amount numeric(14, 2) not null generated always as (greatest(min_amount, own_min_amount)) stored,
    add column effective_max_amount numeric(14, 2) not null generated always as (least(max_amount, own_max_amount)) stored,
    add column effective_daily_count integer generated always as (least(daily_count, own_daily_count)) stored,
    add column effective_daily_sum numeric(14, 2) generated always as (least(daily_sum, own_daily_sum)) stored,
    add column effective_open_payments integer generated always as (least(open_payments, own_open_payments)) stored;
