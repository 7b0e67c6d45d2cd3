-- name: AttemptInsert :exec
insert into card_attempt (merchant_id, id, payment_id, trader_id, acquirer_id, source, card, status, resends_told,
    created_at, progress_at, poll_at, handed_at)
values (@merchant_id, @id, @payment_id, @trader_id, @acquirer_id, @source, @card, 'authorising', @resends_told,
    @created_at, @created_at, @poll_at, @created_at);

-- name: AttemptGet :one
select * from card_attempt where merchant_id = @merchant_id and id = @id;

-- AttemptPut writes how an attempt stands, under its payment's row lock. Where there is none it is a division by zero.
-- name: AttemptPut :exec
with put as (
    update card_attempt set status = @status, codes_sent = @codes_sent,
        codes_followed = @codes_followed, submitting = @submitting, progress_at = @progress_at, poll_at = @poll_at,
        handed_at = @handed_at, took_ms = @took_ms
    where merchant_id = @merchant_id and id = @id
    returning id
)
select 1 / count(*) from put;

-- AttemptSoon has the acquirer asked soon.
-- name: AttemptSoon :exec
update card_attempt set progress_at = @soon, poll_at = @soon where merchant_id = @merchant_id and id = @id;

-- AttemptSoonIfOpen is AttemptSoon for an attempt whose card has arrived: one still on its way would be taken for lost.
-- name: AttemptSoonIfOpen :exec
update card_attempt set progress_at = @soon, poll_at = @soon where merchant_id = @merchant_id and id = @id and status = 'open';

-- AttemptNudge has the acquirer asked soon, unless a call is under way: that would be taken for lost.
-- name: AttemptNudge :exec
update card_attempt set progress_at = @soon, poll_at = @soon
where merchant_id = @merchant_id and id = @id and status = 'open' and not submitting;

-- AttemptNudgeAll is AttemptNudge for a payment that has moved: what was asked about by the hour has to be known soon, a code
-- that was lost on its way included. One that is just on its way is asked about within a minute anyway.
-- name: AttemptNudgeAll :exec
update card_attempt set progress_at = @soon, poll_at = @soon
where merchant_id = @merchant_id and payment_id = @payment_id and status = 'open' and poll_at > @later;

-- AttemptQueues counts the attempts that are due, by trader and processor.
-- name: AttemptQueues :many
select trader_id, acquirer_id, count(*) as due from card_attempt
where status in ('authorising', 'open', 'undoing') and poll_at <= @now::timestamptz
group by trader_id, acquirer_id;

-- AttemptsDue lists the attempts of a queue that are due, the one first that has been due longest.
-- name: AttemptsDue :many
select merchant_id, id from card_attempt
where trader_id = @trader_id and acquirer_id = @acquirer_id
    and status in ('authorising', 'open', 'undoing') and poll_at <= @now::timestamptz
order by poll_at limit @most;

-- AttemptClaim takes an attempt that is still due and puts it off: by a fifth of the time for which nothing has happened to it, and
-- by 1 to 30 seconds. Replicas, and workers of one, pass each other's by.
-- name: AttemptClaim :one
with due as (
    select d.merchant_id, d.id from card_attempt d
    where d.merchant_id = @merchant_id and d.id = @id
        and d.status in ('authorising', 'open', 'undoing') and d.poll_at <= sqlc.arg(now)
    for no key update skip locked
)
update card_attempt a set poll_at = (sqlc.arg(now)::timestamptz at time zone 'UTC' + greatest(interval '1 second',
    least((sqlc.arg(now)::timestamptz - a.progress_at) / 5, interval '30 seconds'))) at time zone 'UTC'
from due where a.merchant_id = @merchant_id and a.merchant_id = due.merchant_id and a.id = due.id
returning a.*;

-- AttemptOpenElsewhere counts a trader's attempts under way at other processors than the present one.
-- name: AttemptOpenElsewhere :one
select count(*) from card_attempt a
where a.trader_id = @trader_id and a.status in ('authorising', 'open', 'undoing')
    and a.acquirer_id not in (select t.id from trader_acquirer t where t.present);

-- AttemptResendTold notes of which resend the acquirer knows.
-- name: AttemptResendTold :exec
update card_attempt set resends_told = greatest(resends_told, @resends_told::integer)
where merchant_id = @merchant_id and id = @id;

-- AttemptUndo has the charges that completed a payment undone, soon.
-- name: AttemptUndo :exec
update card_attempt set status = 'undoing', progress_at = @soon, poll_at = @soon
where merchant_id = @merchant_id and payment_id = @payment_id and status = 'approved';

-- AttemptHealth tells of each processor how the attempts ended for a trader's newest payments of a time, and how long those with an
-- answer took; -1 where none was timed.
-- name: AttemptHealth :many
with newest as (
    select p.merchant_id, p.id, p.created_at from payment p where p.trader_id = @trader_id and p.id > @above order by p.id desc limit @most
)
select a.acquirer_id, count(*) as attempts, count(*) filter (where a.status in ('approved', 'undoing')) as approved,
    count(*) filter (where a.status = 'declined') as declined, count(*) filter (where a.status in ('lost', 'conflict')) as failed,
    coalesce(percentile_disc(0.5) within group (order by a.took_ms)
        filter (where a.took_ms > 0 and a.status in ('approved', 'undoing', 'declined')), -1)::bigint as median_ms,
    coalesce(percentile_disc(0.95) within group (order by a.took_ms)
        filter (where a.took_ms > 0 and a.status in ('approved', 'undoing', 'declined')), -1)::bigint as p95_ms
from newest n join card_attempt a on a.merchant_id = n.merchant_id and a.payment_id = n.id
where n.created_at >= @since::timestamptz
group by a.acquirer_id;
