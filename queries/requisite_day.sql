-- RequisiteDayAdd counts a payment that is open or paid again, whatever the limits. The day is written as RequisiteTake writes it.
-- name: RequisiteDayAdd :exec
with newest as (
    select max(n.version) as version from requisite_day n where n.requisite_id = @requisite_id and n.day = @day
), counted as (
    update requisite_day d set count = d.count + 1, sum = d.sum + @amount::numeric, count_limit = null, sum_limit = null,
        changes = d.changes + 1
    where d.requisite_id = @requisite_id and d.day = @day and d.version >= (select version from newest)
)
insert into requisite_day (requisite_id, day, count, sum, changes)
select @requisite_id, @day, n, n * @amount::numeric, n - 1 from newest, generate_series(0, 1) n where newest.version is null;

-- RequisiteDayTake takes off a payment that ended unpaid.
-- name: RequisiteDayTake :exec
update requisite_day d set count = greatest(d.count - 1, 0), sum = greatest(d.sum - @amount::numeric, 0), changes = d.changes + 1
where d.requisite_id = @requisite_id and d.day = @day and d.version >= (
    select max(n.version) from requisite_day n where n.requisite_id = @requisite_id and n.day = @day
);

-- name: RequisiteDayPrune :execrows
delete from requisite_day where day < @before::date;
