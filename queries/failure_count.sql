-- FailureCount counts a failure, which takes some seconds to be forgotten. No row: there are as many already as may be in a whole
-- span.
-- name: FailureCount :one
insert into failure_count as f (counted, free_at, each_seconds) values (@counted, @free_at, @each_seconds)
on conflict (counted) do update
set free_at = greatest(f.free_at + make_interval(secs => excluded.each_seconds), excluded.free_at), each_seconds = excluded.each_seconds
where f.free_at + make_interval(secs => excluded.each_seconds) <= @until
returning f.free_at;

-- name: FailureFreeAt :one
select free_at from failure_count where counted = @counted;

-- FailureForgive takes a failure back that was none.
-- name: FailureForgive :exec
update failure_count set free_at = free_at - make_interval(secs => each_seconds) where counted = @counted;

-- FailurePrune removes what is forgotten, some at a time.
-- name: FailurePrune :exec
delete from failure_count where counted in (
    select f.counted from failure_count f where f.free_at < @now order by f.free_at limit @page);
