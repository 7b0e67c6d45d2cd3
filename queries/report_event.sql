-- ReportEventsListed lists a merchant's events, the newest first, with how their last attempt went. The inner query is bounded by
-- an index, and stops after so many rows whatever the outer one keeps of them.
-- name: ReportEventsListed :many
with listed as (
    select w.merchant_id, w.id, w.type, w.subject, w.subject_id, w.sequence, w.url, w.created_at, w.status, w.number::bigint as number
    from webhook_event w
    where w.merchant_id = @merchant_id and w.number > @above::bigint and w.number < @below::bigint
      and (sqlc.narg(status)::text is null or w.status = sqlc.narg(status))
    order by case when @backward::boolean then w.number end, w.number desc limit @scan
)
select listed.number, listed.id, listed.type, listed.subject, listed.subject_id, listed.sequence, listed.url, listed.created_at, listed.status,
    (select count(*) from webhook_attempt a where a.merchant_id = @merchant_id and a.event_id = listed.id)::integer as attempts,
    (select a.status_code from webhook_attempt a where a.merchant_id = @merchant_id and a.event_id = listed.id
        order by a.id desc limit 1) as last_code
from listed
where created_at >= @created_from and created_at < @created_to
  and (sqlc.narg(type)::text is null or type = sqlc.narg(type))
order by case when @backward then number end, number desc limit @page;

-- ReportEventsStop is the event at which a search stopped that looked at as many as it may.
-- name: ReportEventsStop :one
select number::bigint as number, created_at from webhook_event
where merchant_id = @merchant_id and number > @above::bigint and number < @below::bigint
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
order by case when @backward::boolean then number end, number desc limit 1 offset @past;

-- ReportEventsNamed are the events that a uuid or an id names: the event itself, or those of a payment or payout.
-- name: ReportEventsNamed :many
select coalesce(e.number, 0)::bigint as number, e.id, e.type, e.subject, e.subject_id, e.sequence, e.url, e.created_at, e.status,
    (select count(*) from webhook_attempt a where a.merchant_id = e.merchant_id and a.event_id = e.id)::integer as attempts,
    (select a.status_code from webhook_attempt a where a.merchant_id = e.merchant_id and a.event_id = e.id
        order by a.id desc limit 1) as last_code
from webhook_event e
where e.merchant_id = @merchant_id and (
    e.id = sqlc.narg(named_uuid)::uuid
    or e.subject = 'payment' and e.subject_id = sqlc.narg(named_id)::bigint
    or e.subject = 'payin' and e.subject_id = sqlc.narg(named_id)::bigint
    or e.subject = 'payment' and e.subject_id = (select p.id from payment p
        where p.uuid = sqlc.narg(named_uuid)::uuid and p.merchant_id = @merchant_id)
    or e.subject = 'payin' and e.subject_id = (select p.id from payin p
        where p.uuid = sqlc.narg(named_uuid)::uuid and p.merchant_id = @merchant_id))
order by e.number desc nulls first limit @page;

-- ReportEventAtOrAfter is a merchant's first event from a number on.
-- name: ReportEventAtOrAfter :one
select number::bigint as number, created_at from webhook_event
where merchant_id = @merchant_id and number >= @number::bigint order by number limit 1;

-- ReportEventLast is the last number of a merchant's events.
-- name: ReportEventLast :one
select number::bigint as number from webhook_event
where merchant_id = @merchant_id and number is not null order by number desc limit 1;

-- ReportHealth sums up the attempts at a merchant's last events, by cashbox: of so many events, and no older ones than since.
-- name: ReportHealth :many
with recent as (
    select id, cashbox_id, created_at from webhook_event
    where merchant_id = @merchant_id and number is not null order by number desc limit @most
)
select recent.cashbox_id, count(*)::integer as attempts,
    count(*) filter (where a.status_code between 200 and 299)::integer as taken,
    coalesce(percentile_disc(0.5) within group (order by a.duration_ms) filter (where a.status_code is not null), 0)::integer as median_ms
from recent join webhook_attempt a on a.merchant_id = @merchant_id and a.event_id = recent.id
where created_at >= @since
group by recent.cashbox_id;

-- ReportFailures are the last attempts that failed, at the events that ReportHealth sums up.
-- name: ReportFailures :many
with recent as (
    select id, type, cashbox_id, created_at from webhook_event
    where merchant_id = @merchant_id and number is not null order by number desc limit @most
)
select recent.id, recent.type, recent.cashbox_id, a.at, a.duration_ms, a.status_code, a.answer, a.error
from recent join webhook_attempt a on a.merchant_id = @merchant_id and a.event_id = recent.id
where created_at >= @since and (a.status_code is null or a.status_code not between 200 and 299)
order by a.at desc limit @page;

-- ReportDeadEndpoints counts a merchant's dead events by their address, of so many at most.
-- name: ReportDeadEndpoints :many
with dead as (
    select url from webhook_event
    where merchant_id = @merchant_id and status = 'dead' and number is not null
      and created_at >= @created_from and created_at < @created_to
    order by number desc limit @most
)
select url, count(*)::integer as events from dead group by url order by count(*) desc, url;

-- ReportDeadEverywhere counts everybody's dead events by merchant and address, of the newest so many.
-- name: ReportDeadEverywhere :many
with dead as (
    select e.merchant_id, e.url from webhook_event e
    where e.status = 'dead' and (sqlc.narg(merchant_id)::bigint is null or e.merchant_id = sqlc.narg(merchant_id))
      and e.number is not null and e.created_at >= @created_from and e.created_at < @created_to
    order by e.number desc limit @most
)
select dead.merchant_id, m.name, dead.url, count(*)::integer as events from dead join merchant m on m.id = dead.merchant_id
group by dead.merchant_id, m.name, dead.url order by count(*) desc, dead.merchant_id, dead.url;

-- ReportCountFailing counts endpoints with a delivery that failed and is tried again: a merchant's, or everybody's.
-- name: ReportCountFailing :one
select count(*) from (
    select from webhook_delivery d
    where (sqlc.narg(merchant_id)::bigint is null or d.merchant_id = sqlc.narg(merchant_id)) and d.attempts > 0
    group by d.merchant_id, d.host limit @most
) counted;

-- ReportFailing lists everybody's endpoints that fail, those first for which most waits.
-- name: ReportFailing :many
with failing as (
    select d.merchant_id, d.host, count(*)::bigint as waiting, max(d.attempts)::integer as attempts, min(d.due_at)::timestamptz as next_at
    from webhook_delivery d where d.attempts > 0 group by d.merchant_id, d.host
)
select f.merchant_id, m.name as merchant, f.host, f.waiting, f.attempts, f.next_at
from failing f join merchant m on m.id = f.merchant_id
order by f.waiting desc, f.merchant_id, f.host limit @most;
