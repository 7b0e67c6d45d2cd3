-- Sums of payment_hour, so that months of a merchant with many payments are read from few rows.

-- +goose Up

-- What payment_hour has of each day, in UTC, of all cashboxes together.
create table payment_day (
    merchant_id bigint not null,
    -- The beginning of a day, in UTC.
    day timestamptz not null,
    method text not null,
    currency text not null,
    status text not null,
    span smallint not null,
    payments bigint not null,
    amount numeric(24, 2) not null,
    primary key (merchant_id, day, method, currency, status, span)
);

-- What payment_hour counts of each hour, of all cashboxes and times to pay together: days of any zone are made of hours.
create table payment_hour_count (
    merchant_id bigint not null,
    hour timestamptz not null,
    method text not null,
    currency text not null,
    status text not null,
    payments bigint not null,
    primary key (merchant_id, hour, method, currency, status)
);

-- Both follow payment_hour in the transaction that counts, whichever release of the program counts. Rows there are made and added to, and
-- never removed. What was there before is a table that only an update has, so the statement is put together.
-- +goose StatementBegin
create function payment_hour_sum() returns trigger language plpgsql as $$
declare
    moved text := 'select merchant_id, hour, method, currency, status, span, payments, amount from became';
begin
    if tg_op = 'UPDATE' then
        moved := moved || ' union all select merchant_id, hour, method, currency, status, span, -payments, -amount from was';
    end if;
    execute 'with moved as (' || moved || '), days as (
        insert into payment_day as t (merchant_id, day, method, currency, status, span, payments, amount)
        select merchant_id, date_trunc(''day'', hour, ''UTC''), method, currency, status, span, sum(payments), sum(amount)
        from moved group by 1, 2, 3, 4, 5, 6
        on conflict (merchant_id, day, method, currency, status, span) do update
        set payments = t.payments + excluded.payments, amount = t.amount + excluded.amount
    )
    insert into payment_hour_count as t (merchant_id, hour, method, currency, status, payments)
    select merchant_id, hour, method, currency, status, sum(payments) from moved group by 1, 2, 3, 4, 5
    on conflict (merchant_id, hour, method, currency, status) do update set payments = t.payments + excluded.payments';
    return null;
end $$;
-- +goose StatementEnd
-- From here on nobody counts until the sums are there.
create trigger payment_hour_made after insert on payment_hour referencing new table as became
    for each statement execute function payment_hour_sum();
create trigger payment_hour_moved after update on payment_hour referencing old table as was new table as became
    for each statement execute function payment_hour_sum();

insert into payment_day (merchant_id, day, method, currency, status, span, payments, amount)
select merchant_id, date_trunc('day', hour, 'UTC'), method, currency, status, span, sum(payments), sum(amount) from payment_hour
group by 1, 2, 3, 4, 5, 6;
insert into payment_hour_count (merchant_id, hour, method, currency, status, payments)
select merchant_id, hour, method, currency, status, sum(payments) from payment_hour group by 1, 2, 3, 4, 5;
