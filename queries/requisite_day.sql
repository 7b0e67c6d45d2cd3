-- RequisiteDayAdd counts a payment that is open or paid again, whatever the limits.
-- name: RequisiteDayAdd :exec
insert into requisite_day as d (requisite_id, day, count, sum) values (@requisite_id, @day, 1, @amount)
on conflict (requisite_id, day) do update set count = d.count + 1, sum = d.sum + excluded.sum,
    count_limit = null, sum_limit = null;

-- RequisiteDayTake takes off a payment that ended unpaid.
-- name: RequisiteDayTake :exec
update requisite_day set count = greatest(count - 1, 0), sum = greatest(sum - @amount::numeric, 0)
where requisite_id = @requisite_id and day = @day;

-- name: RequisiteDayPrune :execrows
delete from requisite_day where day < @before::date;
