-- IncomeDayClose keeps what the platform earned on a day that is over.
-- name: IncomeDayClose :exec
insert into income_day (day, merchant_id, subject, method, currency, earned, reversed, volume)
select @day::date, merchant_id, subject, method, currency, sum(earned), sum(reversed), sum(volume) from income_moved
where created_at >= @from_at and created_at < @until_at
group by merchant_id, subject, method, currency
on conflict do nothing;

-- name: IncomeDayClosed :one
select day from income_day_closed;

-- IncomeDaySetClosed says that a day is closed, unless a later one is.
-- name: IncomeDaySetClosed :exec
insert into income_day_closed (day) values (@day)
on conflict (only_row) do update set day = greatest(income_day_closed.day, excluded.day);

-- IncomeDayList lists closed days.
-- name: IncomeDayList :many
select i.day, i.merchant_id, coalesce(m.name, '')::text as merchant, i.subject, i.method, i.currency, i.earned, i.reversed,
    i.volume
from income_day i left join merchant m on m.id = i.merchant_id
where i.day >= @from_day and i.day < @to_day and (sqlc.narg(merchant_id)::bigint is null or i.merchant_id = sqlc.narg(merchant_id))
order by i.day desc, i.merchant_id, i.subject, i.method, i.currency;

-- IncomeOpen adds up what was booked on days that are not closed yet.
-- name: IncomeOpen :many
select (i.created_at at time zone 'UTC')::date as day, i.merchant_id, coalesce(m.name, '')::text as merchant, i.subject, i.method, i.currency,
    sum(i.earned)::numeric as earned, sum(i.reversed)::numeric as reversed, sum(i.volume)::numeric as volume
from income_moved i left join merchant m on m.id = i.merchant_id
where i.created_at >= @from_at and i.created_at < @until_at
    and (sqlc.narg(merchant_id)::bigint is null or i.merchant_id = sqlc.narg(merchant_id))
group by 1, 2, 3, 4, 5, 6
order by 1 desc, 2, 4, 5, 6;
