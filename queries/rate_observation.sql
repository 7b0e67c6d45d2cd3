-- RateObservationAdd keeps the first value of each minute that a feed was believed.
-- name: RateObservationAdd :exec
insert into rate_observation (feed_id, minute, fiat_per_usdt)
values (@feed_id, date_trunc('minute', @now::timestamptz), @fiat_per_usdt)
on conflict (feed_id, minute) do nothing;

-- RateObservationMiddle reads the median of what a feed brought since then, or its first value where all of that is younger
-- than @settled: the median of a short history would follow whoever walks away with it. No row: nothing is known.
-- name: RateObservationMiddle :one
select (case when min(minute) <= @settled::timestamptz then percentile_disc(0.5) within group (order by fiat_per_usdt)
    else (array_agg(fiat_per_usdt order by minute))[1] end)::numeric as middle
from rate_observation where feed_id = @feed_id and minute > @since::timestamptz
having count(*) > 0;

-- name: RateObservationPrune :exec
delete from rate_observation where feed_id = @feed_id and minute <= @before::timestamptz;

-- name: RateObservationForget :exec
delete from rate_observation where feed_id = @feed_id;

-- RateObservationDay lists what the feeds brought since then, minute by minute.
-- name: RateObservationDay :many
select o.feed_id, f.currency, o.minute, o.fiat_per_usdt from rate_observation o join rate_feed f on f.id = o.feed_id
where o.minute > @since::timestamptz order by f.currency, o.feed_id, o.minute;
