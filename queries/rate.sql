-- RateList lists the rates of a currency, or of all. Which one is in use is decided by rate.InUse.
-- name: RateList :many
select currency, source, priority, fiat_per_usdt, observed_at, (stale_at = 'infinity')::boolean as endless,
    (stale_at = '-infinity')::boolean as withdrawn,
    (case when isfinite(stale_at) then stale_at else observed_at end)::timestamptz as stale_at
from rate where currency = sqlc.narg(currency)::text or sqlc.narg(currency)::text is null;

-- A rate without stale_at never goes stale.
-- name: RateSet :exec
insert into rate (currency, fiat_per_usdt, source, priority, observed_at, stale_at)
values (@currency, @fiat_per_usdt, @source, @priority, @observed_at, coalesce(sqlc.narg(stale_at)::timestamptz, 'infinity'))
on conflict (currency, source) do update set fiat_per_usdt = excluded.fiat_per_usdt, priority = excluded.priority,
    observed_at = excluded.observed_at, stale_at = excluded.stale_at;

-- RateSettingLock makes operators' changes of one currency's rate wait for one another, also before there is a row.
-- name: RateSettingLock :exec
select pg_advisory_xact_lock(hashtextextended('rate ' || @currency::text, 0));

-- RateSetting reads a rate for the log of settings.
-- name: RateSetting :one
select jsonb_build_object(
    'fiat_per_usdt', fiat_per_usdt::text, 'observed_at', observed_at,
    'stale_at', case when stale_at <> 'infinity' then stale_at end
)::jsonb from rate where currency = @currency and source = @source;

-- RateLastGood reads what a feed last brought. What was withdrawn is not good any more.
-- name: RateLastGood :one
select fiat_per_usdt from rate where currency = @currency and source = @source and stale_at > '-infinity';

-- RateWithdraw takes a disabled feed's rate out of use: stale since ever, it is the last that anything falls back to.
-- name: RateWithdraw :exec
update rate set stale_at = '-infinity' where currency = @currency and source = @source;

-- RatePrioritize has what a feed brought last go by its settings: it is fresh no longer than they say, nor than it was.
-- name: RatePrioritize :exec
update rate set priority = @priority, stale_at = least(stale_at, observed_at + make_interval(secs => @fresh_seconds::integer))
where currency = @currency and source = @source;

-- RateBand is the narrowest band of the feeds that are polled for a currency; no row where none is.
-- name: RateBand :one
select min(band_percent)::numeric as band from rate_feed where currency = @currency and enabled having count(*) > 0;
