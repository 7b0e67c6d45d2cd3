-- RequisiteUse marks a locked requisite as used and counts the payment towards its day. No row: the day's limits, looked
-- at again now that nobody else can use the requisite, are reached.
-- name: RequisiteUse :execrows
with used as (
    update requisite r set last_used_at = @now::timestamptz where r.id = @id
    returning r.id, r.daily_count, r.daily_sum, local_time(r.time_zone, @now::timestamptz)::date as local_day
)
insert into requisite_day as d (requisite_id, day, count, sum)
select u.id, u.local_day, 1, @amount::numeric from used u
on conflict (requisite_id, day) do update set count = d.count + 1, sum = d.sum + excluded.sum
where (select (u.daily_count is null or d.count < u.daily_count)
          and (u.daily_sum is null or d.sum + excluded.sum <= u.daily_sum) from used u);

-- RequisiteDayAdd counts a payment that is open or paid again.
-- name: RequisiteDayAdd :exec
insert into requisite_day as d (requisite_id, day, count, sum) values (@requisite_id, @day, 1, @amount)
on conflict (requisite_id, day) do update set count = d.count + 1, sum = d.sum + excluded.sum;

-- RequisiteDayTake takes off a payment that ended unpaid.
-- name: RequisiteDayTake :exec
update requisite_day set count = greatest(count - 1, 0), sum = greatest(sum - @amount::numeric, 0)
where requisite_id = @requisite_id and day = @day;

-- name: RequisiteDayPrune :execrows
delete from requisite_day where day < @before::date;
