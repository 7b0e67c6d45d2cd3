-- name: RateFeedID :one
select nextval(pg_get_serial_sequence('rate_feed', 'id'))::bigint;

-- RateFeedSet makes the feed, or changes all but its currency. Either way it is polled at once.
-- name: RateFeedSet :exec
insert into rate_feed (
    id, currency, enabled, priority, url, pointer, poll_seconds, timeout_ms, band_percent, day_band_percent, fresh_seconds,
    next_poll_at
) overriding system value values (
    @id, @currency, @enabled, @priority, @url, @pointer, @poll_seconds, @timeout_ms, @band_percent, @day_band_percent,
    @fresh_seconds, @now
) on conflict (id) do update set enabled = excluded.enabled, priority = excluded.priority, url = excluded.url,
    pointer = excluded.pointer, poll_seconds = excluded.poll_seconds, timeout_ms = excluded.timeout_ms,
    band_percent = excluded.band_percent, day_band_percent = excluded.day_band_percent, fresh_seconds = excluded.fresh_seconds, next_poll_at = excluded.next_poll_at,
    error = null;

-- name: RateFeedCurrency :one
select currency from rate_feed where id = @id;

-- name: RateFeedList :many
select * from rate_feed order by currency, priority, id;

-- RateFeedSetting locks a feed and reads it for the log of settings. What stands in the query of its URL may be a key,
-- and what is logged stays logged; the digest only shows that it changed.
-- name: RateFeedSetting :one
select jsonb_build_object(
    'currency', currency, 'enabled', enabled, 'priority', priority,
    'url', regexp_replace(url, '\?.*', '?hidden-' || left(encode(sha256(convert_to(url, 'UTF8')), 'hex'), 8)),
    'pointer', pointer, 'poll_seconds', poll_seconds, 'timeout_ms', timeout_ms, 'band_percent', band_percent::text,
    'day_band_percent', day_band_percent::text, 'fresh_seconds', fresh_seconds
)::jsonb from rate_feed where id = @id for no key update;

-- RateFeedClaim takes due feeds for one poller: until the lease, longer than any poll takes, they are due to nobody else.
-- next_poll_at is the claim's token: whoever changes the feed, or claims it again, changes it.
-- name: RateFeedClaim :many
with due as materialized (
    select f.id, @now::timestamptz as at from rate_feed f where f.enabled and f.next_poll_at <= @now::timestamptz
    order by f.next_poll_at limit @page for no key update skip locked
)
update rate_feed f set next_poll_at = due.at + greatest(f.poll_seconds, f.timeout_ms / 1000 + 30) * interval '1 second'
from due where f.id = due.id
returning f.*;

-- RateFeedPolled ends a claim that still stands, and locks the feed until the transaction ends.
-- name: RateFeedPolled :execrows
update rate_feed set polled_at = @polled_at, error = sqlc.narg(error), next_poll_at = @next_poll_at,
    good_at = case when sqlc.narg(error)::text is null then @polled_at::timestamptz else good_at end,
    failed_at = case when sqlc.narg(error)::text is null then failed_at else @polled_at::timestamptz end,
    failures = case when sqlc.narg(error)::text is null then 0 else failures + 1 end,
    last_error = coalesce(sqlc.narg(error)::text, last_error)
where id = @id and enabled and next_poll_at = @claim::timestamptz;

-- name: RateFeedGet :one
select * from rate_feed where id = @id;
