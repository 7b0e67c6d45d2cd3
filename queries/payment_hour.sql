-- PaymentHourAny reports whether there is history to count, without a lock. It asks for the newest row: one above the last that is
-- counted was looked for among all that are, where the database had no figures of the table yet.
-- name: PaymentHourAny :one
select (coalesce((select max(id) from payment_history) > (select last_id from payment_hour_progress), false)
    or exists (select 1 from payment_history_gap))::boolean;

-- PaymentHourLock makes the caller the one who counts until its transaction ends, unless there is one at the moment.
-- name: PaymentHourLock :one
select last_id from payment_hour_progress for update skip locked;

-- PaymentHourFold counts the next rows of the history and those that were missing before and have come: each takes its payment away from
-- the status it had and adds it to the one it got, in the hour of the payment's creation; as completed with what that was settled for, and
-- else with what was asked. It notes the ids that are missing, and answers
-- how many payments came to which status. The ids are arrays, so that they are looked up in the index: of a table with partitions the
-- database does not know how many rows a join gives, and reads all of them.
-- name: PaymentHourFold :many
with next as (
    select id, merchant_id, payment_id, from_status, to_status, settled_amount
    from payment_history where id > sqlc.arg(last_id)::bigint order by id limit sqlc.arg(batch)::int
), come as (
    delete from payment_history_gap g where g.id = any(array(
        select h.id from payment_history h where h.id = any(array(select o.id from payment_history_gap o))
    )) returning g.id
), history as (
    select id, merchant_id, payment_id, from_status, to_status, settled_amount from next
    union all
    select h.id, h.merchant_id, h.payment_id, h.from_status, h.to_status, h.settled_amount
    from payment_history h where h.id = any(array(select come.id from come))
), counted as (
    select h.merchant_id, h.payment_id, h.id, h.settled_amount, side.sign,
        case when side.sign < 0 then h.from_status else h.to_status end as status
    from history h cross join unnest(array[-1, 1]) as side (sign)
), moves as (
    select merchant_id, hour, cashbox_id, method, currency, status, sign, amount,
        coalesce(width_bucket(paid, sqlc.arg(bounds)::bigint[]), -1) as span, coalesce(paid, 0) as seconds
    from (
        select p.merchant_id, date_trunc('hour', p.created_at, 'UTC') as hour, p.cashbox_id, p.method, p.currency, c.status, c.sign,
            coalesce(case when c.sign > 0 then c.settled_amount when c.status = 'completed' then (
                select g.settled_amount from payment_history g
                where g.merchant_id = p.merchant_id and g.payment_id = p.id and g.to_status = 'completed' and g.id < c.id
                order by g.id desc limit 1
            ) end, p.amount) as amount,
            case when c.status = 'completed' then coalesce((
                select greatest(floor(extract(epoch from g.at - p.created_at)), 0) from payment_history g
                where g.merchant_id = p.merchant_id and g.payment_id = p.id and g.to_status = 'completed' order by g.id limit 1
            ), 0)::bigint end as paid
        from counted c join payment p on p.merchant_id = c.merchant_id and p.id = c.payment_id
        where c.status is not null and p.id = any(array(select history.payment_id from history))
        offset 0
    ) of_payment
), added as (
    insert into payment_hour as t (merchant_id, hour, cashbox_id, method, currency, status, span, payments, amount, seconds)
    select merchant_id, hour, cashbox_id, method, currency, status, span, sum(sign), sum(sign * amount), sum(sign * seconds)
    from moves group by merchant_id, hour, cashbox_id, method, currency, status, span
    on conflict (merchant_id, hour, cashbox_id, method, currency, status, span) do update
    set payments = t.payments + excluded.payments, amount = t.amount + excluded.amount, seconds = t.seconds + excluded.seconds
), missing as (
    insert into payment_history_gap (id, since)
    select n, now() from generate_series(sqlc.arg(last_id)::bigint + 1, (select max(next.id) from next)) n
    where not exists (select 1 from next where next.id = n)
), progressed as (
    update payment_hour_progress set last_id = (select max(next.id) from next) where exists (select 1 from next)
)
select method, currency, status::text as status, count(*) as payments from moves where sign > 0 group by method, currency, status;

-- PaymentHistoryGapPrune forgets ids whose transactions cannot be open any more: they were rolled back.
-- name: PaymentHistoryGapPrune :exec
delete from payment_history_gap g
where g.since < now() - make_interval(secs => @seconds)
    and g.id <> all(array(select h.id from payment_history h where h.id = any(array(select o.id from payment_history_gap o))));

-- PaymentHourList adds up a merchant's hours by method, currency and status.
-- name: PaymentHourList :many
select hour, method, currency, status, span, sum(payments)::bigint as payments, sum(amount)::numeric as amount
from payment_hour
where merchant_id = @merchant_id and hour >= @from_at and hour < @until_at and payments <> 0
group by hour, method, currency, status, span
order by hour, method, currency, status, span;

-- PaymentHourSlots adds up all merchants' hours by slots of time. Slot -1 is all of them together, and slot 0 what came before them, up
-- to the moment that is as long before now as their first one is; these two have spans and sums. The slots only count, which is a sixth of
-- the rows to send. Each is planned for its parameters as they are. The offset keeps the database from taking each hour for a group of its
-- own: so many groups it would sort on disk.
-- name: PaymentHourSlots :many
with slots as materialized (
    select slot, method, currency, status, span, sum(payments)::bigint as payments, sum(amount)::numeric as amount
    from (
        select width_bucket(hour, @starts::timestamptz[])::int as slot, method, currency, status, span, payments, amount
        from payment_hour
        where hour >= @from_at and hour < @until_at and (hour >= @starts_at::timestamptz or hour < @before_until::timestamptz) and payments <> 0
        offset 0
    ) hours
    group by slot, method, currency, status, span
)
select (case when slot = 0 then 0 else -1 end)::int as slot, method, currency, status, span,
    sum(payments)::bigint as payments, sum(amount)::numeric as amount
from slots group by slot = 0, method, currency, status, span
union all
select slot, method, currency, status, (-1)::smallint, sum(payments)::bigint, 0::numeric
from slots where slot > 0 group by slot, method, currency, status;

-- PaymentDaySlots adds up a merchant's hours as PaymentHourSlots does all merchants'. Slots -1 and 0 are read by whole days, and by hours
-- where these are no whole days; the other slots by what the hours count.
-- name: PaymentDaySlots :many
select parts.slot::int as slot, method, currency, status, span, sum(payments)::bigint as payments, sum(amount)::numeric as amount
from (
    select r.slot, d.method, d.currency, d.status, d.span, d.payments, d.amount
    from (
        select unnest(@day_slots::int[]) as slot, unnest(@day_froms::timestamptz[]) as from_at, unnest(@day_untils::timestamptz[]) as until_at
    ) r join payment_day d on d.merchant_id = @merchant_id and d.day >= r.from_at and d.day < r.until_at
    union all
    select r.slot, h.method, h.currency, h.status, h.span, h.payments, h.amount
    from (
        select unnest(@hour_slots::int[]) as slot, unnest(@hour_froms::timestamptz[]) as from_at, unnest(@hour_untils::timestamptz[]) as until_at
    ) r join payment_hour h on h.merchant_id = @merchant_id and h.hour >= r.from_at and h.hour < r.until_at
) parts where payments <> 0 group by parts.slot, method, currency, status, span
union all
select width_bucket(hour, @starts::timestamptz[])::int, method, currency, status, (-1)::smallint, sum(payments)::bigint, 0::numeric
from payment_hour_count
where merchant_id = @merchant_id and hour >= @starts_at::timestamptz and hour < @until_at::timestamptz and payments <> 0
group by 1, method, currency, status;
