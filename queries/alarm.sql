-- AlarmNote keeps whether an alarm fires, and since when that is so.
-- name: AlarmNote :exec
insert into alarm_state (name, firing, since, checked_at) values (@name, @firing, @since, @now)
on conflict (name) do update set firing = excluded.firing, checked_at = excluded.checked_at,
    since = case when alarm_state.firing = excluded.firing then alarm_state.since else excluded.since end
where alarm_state.checked_at <= excluded.checked_at;

-- name: AlarmStates :many
select name, firing, since, checked_at from alarm_state;

-- name: AlarmAudit :one
select proven_at, violations from audit_run where scope = @scope;

-- AlarmSealed is up to when the ledger is sealed, or when it begins. No row: there is nothing to seal.
-- name: AlarmSealed :one
select at::timestamptz as at from (select coalesce(
    (select (max(day) + 1)::timestamp at time zone 'UTC' from ledger_page),
    (select date_trunc('day', min(created_at), 'UTC') from (select created_at from transfer order by id limit 1000) t)) as at) s
where at is not null;

-- AlarmRates are the currencies without a fresh rate, and since when.
-- name: AlarmRates :many
select currency, max(greatest(observed_at, case when isfinite(stale_at) then stale_at else observed_at end))::timestamptz as since
from rate group by currency having max(stale_at) <= @now::timestamptz order by currency;

-- AlarmFactors are the second factors that are locked, since somebody has guessed at them.
-- name: AlarmFactors :one
select count(*), coalesce(min(factor_locked_at), @now)::timestamptz as oldest from app_user where factor_locked_at is not null;

-- name: AlarmFeeds :one
select count(*) from rate_feed where enabled and error is not null;

-- AlarmFeedsStill finds the feeds that have brought one value for long: for three hours, and for ten times as long as
-- it usually stood before. A source that has stopped may answer with its last value for ever. One that seldom changes,
-- such as a bank's rate of the day, is not found, nor is one of which hardly anything is known.
-- name: AlarmFeedsStill :one
with observed as (
    select feed_id, minute, fiat_per_usdt <> lag(fiat_per_usdt) over (partition by feed_id order by minute) as changed
    from rate_observation where minute > @since::timestamptz
), feed as (
    select feed_id, min(minute) as first, max(minute) as last, max(minute) filter (where changed) as still,
        count(*) filter (where changed) as changes
    from observed group by feed_id
)
select count(*), coalesce(min(f.still), @since)::timestamptz as oldest from feed f join rate_feed r on r.id = f.feed_id
where r.enabled and least(f.still - f.first, f.last - f.still) >= interval '3 hours'
    and f.last - f.still >= 10 * (f.still - f.first) / f.changes;

-- name: AlarmSettlements :one
select count(*), coalesce(min(since), @until)::timestamptz as oldest from settlement_due where since <= @until;

-- AlarmDeadEvents counts the events of which the last attempt was made lately, among the newest dead ones.
-- name: AlarmDeadEvents :one
select count(*), coalesce(min(at), @since)::timestamptz as oldest from (
    select (select max(a.at) from webhook_attempt a where a.merchant_id = e.merchant_id and a.event_id = e.id) as at
    from webhook_event e where e.status = 'dead' order by e.number desc limit 1000
) dead where at > @since::timestamptz;

-- name: AlarmPayouts :one
select count(*), coalesce(min(least(taken_at + make_interval(mins => 30), expires_at)), @now)::timestamptz as oldest from payin
where status = 'processing' and (taken_at <= @taken_until::timestamptz or expires_at <= @now::timestamptz);

-- name: AlarmDeposits :one
select count(*), coalesce(min(created_at), @until)::timestamptz as oldest from deposit
where status = 'pending' and created_at <= @until::timestamptz;

-- name: AlarmAppeals :one
select count(*), coalesce(min(created_at), @until)::timestamptz as oldest from appeal
where status = 'open' and created_at <= @until::timestamptz;

-- AlarmCases are the payments of which another amount came before a time, and that nobody has decided.
-- name: AlarmCases :one
select count(*), coalesce(min(status_at), @until)::timestamptz as oldest from payment
where status = 'appeal' and received_amount is not null and status_at <= @until::timestamptz;

-- AlarmPhones are the phones that were not heard since a time, while the payments of their traders count on them.
-- name: AlarmPhones :one
select count(*), coalesce(min(silent_since), @until::timestamptz)::timestamptz as oldest from counted_phone
where silent_since < @until::timestamptz;

-- name: AlarmConflicts :one
select count(*), coalesce(min(created_at), @now::timestamptz)::timestamptz as oldest from card_conflict where closed_at is null;

-- AlarmCommand counts the operators whom the command has made since, beside others there were.
-- name: AlarmCommand :one
select count(*), coalesce(min(c.at), @since::timestamptz)::timestamptz as oldest from setting_change c
where c.actor = 'command' and c.at > @since::timestamptz and c.subject = 'user'
  and exists (select from app_user u where u.kind = 'operator' and u.id < c.subject_key::bigint);

-- AlarmChains are the networks that were not read further since a time.
-- name: AlarmChains :one
select count(*), coalesce(min(trouble_since), @until)::timestamptz as oldest from chain_cursor where trouble_since <= @until::timestamptz;

-- AlarmChainLost are the transfers that vanished lately after they were final.
-- name: AlarmChainLost :one
select count(*), coalesce(min(state_at), @since)::timestamptz as oldest from chain_transfer
where state = 'lost' and state_at > @since::timestamptz;
