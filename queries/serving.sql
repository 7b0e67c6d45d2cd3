-- ServingGap is for how many seconds no process has served, by the database's clock.
-- name: ServingGap :one
select coalesce(extract(epoch from clock_timestamp() - at), 0)::float8 as seconds, (at is null)::boolean as never from serving;

-- ServingGapLock is ServingGap for the one who writes it next; the others wait.
-- name: ServingGapLock :one
select coalesce(extract(epoch from clock_timestamp() - at), 0)::float8 from serving for no key update;

-- name: ServingNote :exec
update serving set at = clock_timestamp();

-- ClockNow is what the database's clock shows.
-- name: ClockNow :one
select clock_timestamp()::timestamptz;
