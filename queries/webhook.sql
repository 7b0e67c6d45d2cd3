-- name: WebhookEventInsert :exec
insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
values (@merchant_id, @id, @cashbox_id, @type, @subject, @subject_id, @sequence, @url, @body, @created_at);

-- WebhookOutboxInsert puts an event into the outbox, from which it is relayed.
-- name: WebhookOutboxInsert :exec
insert into webhook_outbox (merchant_id, event_id) values (@merchant_id, @event_id);

-- WebhookOutboxAny reports whether there is anything to relay, without a lock.
-- name: WebhookOutboxAny :one
select exists (select from webhook_outbox);

-- WebhookOutboxOldest is when the event was written that waits longest to be relayed.
-- name: WebhookOutboxOldest :one
select e.created_at from webhook_outbox o join webhook_event e on e.merchant_id = o.merchant_id and e.id = o.event_id
order by o.id limit 1;

-- WebhookRelayLock makes the caller the relay until its transaction ends, unless there is one at the moment. The row alone would do on
-- one node. On several, a row is free as soon as the coordinator has committed, the advisory lock once all nodes have.
-- name: WebhookRelayLock :one
select last_number from webhook_relay where pg_try_advisory_xact_lock(hashtextextended('webhook relay', 0)) for update skip locked;

-- WebhookOutboxNext lists the next events in the outbox, the oldest first.
-- name: WebhookOutboxNext :many
select id, merchant_id, event_id from webhook_outbox where id > @past order by id limit @batch;

-- WebhookEventsFree locks those of a merchant's events that nobody else has locked.
-- name: WebhookEventsFree :many
select id from webhook_event where merchant_id = @merchant_id and id = any(@ids::uuid[]) for no key update skip locked;

-- WebhookRelayTake takes events out of the outbox and numbers them on, in the order of the outbox. One without an address has
-- nowhere else to go.
-- name: WebhookRelayTake :many
with taken as (
    delete from webhook_outbox where id = any(@ids::bigint[]) returning id, merchant_id, event_id
), numbered as (
    select merchant_id, event_id, row_number() over (order by id) as place from taken
)
update webhook_event e set number = sqlc.arg(last_number)::bigint + n.place,
    status = case when e.url = '' then 'delivered' else e.status end
from numbered n
where e.merchant_id = n.merchant_id and e.id = n.event_id
returning e.merchant_id, e.id, e.url, e.number::bigint as number;

-- name: WebhookRelaySetLast :exec
update webhook_relay set last_number = @last_number;

-- WebhookRelayLast is the last number that was given to an event.
-- name: WebhookRelayLast :one
select last_number from webhook_relay;

-- WebhookRelayLeap has the next event get a number beyond all that were given before a restore and are not known any more.
-- name: WebhookRelayLeap :exec
update webhook_relay set last_number = last_number + @numbers;

-- WebhookDeliveryQueue queues first deliveries. An event that was sent again before it was relayed is queued already.
-- name: WebhookDeliveryQueue :exec
insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
select unnest(@merchant_ids::bigint[]), unnest(@event_ids::uuid[]), unnest(@hosts::text[]), now(), 0
on conflict do nothing;

-- WebhookDeliveryCount counts the deliveries that are queued, up to so many.
-- name: WebhookDeliveryCount :one
select count(*) from (select 1 from webhook_delivery limit @most) queued;

-- WebhookEndpointWait is for how many seconds the endpoint has waited that waits longest for a process that delivers to it. Those that
-- do not answer wait in a line of their own and do not count.
-- name: WebhookEndpointWait :one
select coalesce(extract(epoch from now() - min(greatest(due_at, leased_until))), 0)::bigint as seconds
from webhook_endpoint where not slow and due_at <= now() and leased_until <= now();

-- WebhookDeliveryAgain queues deliveries of one merchant's events that are sent again, each in its round, and forgets those of the
-- rounds before.
-- name: WebhookDeliveryAgain :exec
insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
select @merchant_id, unnest(@event_ids::uuid[]), @host, now(), unnest(@rounds::integer[])
on conflict (merchant_id, event_id) do update set due_at = excluded.due_at, attempts = 0, round = excluded.round;

-- WebhookEndpointTell tells that there is something to do for endpoints now. They come in one order, for the locks, which is that of
-- the process that ends their leases, too.
-- name: WebhookEndpointTell :exec
insert into webhook_endpoint as e (merchant_id, host, due_at)
select told.merchant_id, told.host, now()
from (select distinct unnest(@merchant_ids::bigint[]) as merchant_id, unnest(@hosts::text[]) as host) told
order by told.merchant_id, told.host collate "C"
on conflict (merchant_id, host) do update set due_at = excluded.due_at where e.due_at > excluded.due_at;

-- WebhookEndpointLease gives a process endpoints with something to do, for a while; those another is taking it leaves out. Until
-- more comes, the next time to look at one is when the lease ends, in case the process is gone then.
-- name: WebhookEndpointLease :many
with due as (
    select d.merchant_id, d.host from webhook_endpoint d
    where d.slow = @slow and greatest(d.due_at, d.leased_until) <= now() and d.merchant_id <> all(@without::bigint[])
    order by greatest(d.due_at, d.leased_until) limit @most
    for no key update skip locked
)
update webhook_endpoint e set holder = @holder::uuid, leased_until = now() + make_interval(secs => @seconds),
    due_at = now() + make_interval(secs => @seconds)
from due where e.merchant_id = due.merchant_id and e.host = due.host
returning e.merchant_id, e.host;

-- WebhookEndpointRenew prolongs leases of a process, and tells which it still has.
-- name: WebhookEndpointRenew :many
update webhook_endpoint set leased_until = now() + make_interval(secs => @seconds),
    due_at = case when due_at < leased_until then due_at else now() + make_interval(secs => @seconds) end
where holder = @holder::uuid and leased_until > now()
  and (merchant_id, host) in (select unnest(@merchant_ids::bigint[]), unnest(@hosts::text[]))
returning merchant_id, host;

-- WebhookEndpointHold has whoever queues deliveries for the endpoint from now on wait until the transaction ends. What those queued
-- that it has waited for itself, the next statement sees.
-- name: WebhookEndpointHold :exec
select 1 from webhook_endpoint where merchant_id = @merchant_id and host = @host for no key update;

-- WebhookEndpointLeave ends a lease, after WebhookEndpointHold: a relay changes nothing at an endpoint whose lease is over, and this
-- would set the next time by what it saw before it waited for the relay. What has come meanwhile is due at once; what is left, when it
-- is. The end of the lease puts the endpoint behind all that wait already.
-- name: WebhookEndpointLeave :exec
update webhook_endpoint e set holder = null, leased_until = now(), slow = @slow,
    due_at = case when e.due_at < e.leased_until then e.due_at else coalesce((
        select min(d.due_at) from webhook_delivery d where d.merchant_id = @merchant_id and d.host = @host
    ), 'infinity') end
where e.merchant_id = @merchant_id and e.host = @host and e.holder = @holder::uuid;

-- WebhookEndpointPrune forgets endpoints for which there was nothing to do in a day.
-- name: WebhookEndpointPrune :exec
delete from webhook_endpoint where due_at = 'infinity' and leased_until < now() - interval '1 day';

-- WebhookDeliveriesDue reads an endpoint's next deliveries, but for those that are under way, with what they send and what it is signed
-- with. The secrets are read once for all of them.
-- name: WebhookDeliveriesDue :many
with due as (
    select d.event_id, d.due_at, d.attempts, d.round, e.url, e.body, e.cashbox_id
    from webhook_delivery d join webhook_event e on e.merchant_id = d.merchant_id and e.id = d.event_id
    where d.merchant_id = @merchant_id and d.host = @host and d.due_at <= now() and d.event_id <> all(coalesce(@under::uuid[], '{}'))
    order by d.due_at, d.event_id limit @most
), secret as materialized (
    select c.id, c.webhook_secret,
        array(select p.secret from webhook_secret_previous p where p.cashbox_id = c.id order by p.id desc)::bytea[] as previous_secrets,
        array(select p.until from webhook_secret_previous p where p.cashbox_id = c.id order by p.id desc)::timestamptz[] as previous_until
    from cashbox c where c.merchant_id = @merchant_id and c.id in (select cashbox_id from due)
)
select due.event_id, due.attempts, due.round, due.url, due.body, due.cashbox_id, secret.webhook_secret, secret.previous_secrets,
    secret.previous_until
from due join secret on secret.id = due.cashbox_id
order by due.due_at, due.event_id;

-- WebhookEventRequest is the id of the request by which the payment or payout was created that an event is about; null where it is
-- not known.
-- name: WebhookEventRequest :one
select coalesce(p.request_id, i.request_id) as request_id
from webhook_event e
left join payment p on e.subject = 'payment' and p.merchant_id = e.merchant_id and p.id = e.subject_id
left join payin i on e.subject = 'payin' and i.merchant_id = e.merchant_id and i.id = e.subject_id
where e.merchant_id = @merchant_id and e.id = @id;

-- WebhookAttemptInsert keeps an attempt and where it leaves its event and its delivery. An event that was settled, or sent again,
-- since the attempt began stays as it is. The event's id is a subquery, so that the month is found while the statement runs and one
-- plan does for all: with the id itself the database made a plan each time, which took longer than the statement.
-- name: WebhookAttemptInsert :exec
with moved as (
    update webhook_event e set status = @event_status::text
    where e.merchant_id = @merchant_id and e.id = (select @event_id::uuid) and e.round = @round
      and e.status = 'pending' and @event_status::text <> 'pending'
), ended as (
    delete from webhook_delivery d
    where d.merchant_id = @merchant_id and d.event_id = @event_id and d.round = @round and @event_status::text <> 'pending'
), postponed as (
    update webhook_delivery d set attempts = d.attempts + 1, due_at = now() + make_interval(secs => @again_seconds)
    where d.merchant_id = @merchant_id and d.event_id = @event_id and d.round = @round and @event_status::text = 'pending'
)
insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer, error)
values (@merchant_id, @event_id, @at, @duration_ms, @status_code, @answer, @error);

-- WebhookAttemptList lists the attempts of events, each named by its merchant and its id at the same place.
-- name: WebhookAttemptList :many
select * from webhook_attempt
where (merchant_id, event_id) in (select unnest(@merchant_ids::bigint[]), unnest(@event_ids::uuid[]))
order by merchant_id, event_id, id;

-- WebhookEventFeed lists a merchant's events after a number, in their order. The relay gives the numbers in such a way that
-- none can appear below one that has been seen. Those in one status have an index of their own: filtering the feed could read
-- any number of events for a few.
-- name: WebhookEventFeed :many
select merchant_id, id, type, url, body, created_at, status, number::bigint as number
from webhook_event
where merchant_id = @merchant_id and number > @after_number::bigint
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
order by number
limit @page;

-- name: WebhookEventDead :many
select merchant_id, id, type, url, body, created_at, status, number::bigint as number
from webhook_event
where status = 'dead' and number < @before_number::bigint
  and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id))
order by number desc
limit @page;

-- name: WebhookEventReplay :one
update webhook_event set status = 'pending', round = round + 1
where merchant_id = @merchant_id and id = @id
returning url, round;

-- WebhookEventReplayDead takes the next dead events of an endpoint. Those another call is taking it leaves out.
-- name: WebhookEventReplayDead :many
with batch as (
    select d.merchant_id, d.id from webhook_event d
    where d.merchant_id = @merchant_id and d.status = 'dead' and d.number > @after_number::bigint and d.number <= @last_number::bigint
      and d.url = @url
      and d.created_at >= coalesce(sqlc.narg('from')::timestamptz, '-infinity')
      and d.created_at < coalesce(sqlc.narg('until')::timestamptz, 'infinity')
    order by d.number limit @batch
    for no key update skip locked
)
update webhook_event e set status = 'pending', round = e.round + 1
from batch b where e.merchant_id = b.merchant_id and e.id = b.id
returning e.id, e.number::bigint as number, e.round;

-- WebhookWaiting lists the deliveries that wait: of those that are asked for, or all.
-- name: WebhookWaiting :many
select merchant_id, event_id from webhook_delivery
where sqlc.narg(event_ids)::uuid[] is null or event_id = any(sqlc.narg(event_ids)::uuid[]);

-- WebhookShift brings deliveries of a merchant forward by so many seconds, as a test clock does that is moved on, and tells which.
-- Those that somebody is just changing it leaves for later: who waited for them, holding others, could be waited for.
-- name: WebhookShift :many
with free as (
    select event_id from webhook_delivery
    where merchant_id = @merchant_id and event_id = any(@event_ids::uuid[]) for no key update skip locked
)
update webhook_delivery d set due_at = (d.due_at at time zone 'UTC' - make_interval(secs => @seconds)) at time zone 'UTC'
from free where d.merchant_id = @merchant_id and d.event_id = free.event_id
returning d.event_id;

-- WebhookWake has the endpoints that wait for a delivery looked at at once, but for those that somebody is just changing, which it
-- counts: a lease that ends just now may still know the deliveries' times as they were.
-- name: WebhookWake :one
with waiting as (
    select merchant_id, host from webhook_endpoint where due_at > now() and isfinite(due_at)
), free as (
    select e.merchant_id, e.host from webhook_endpoint e where e.due_at > now() and isfinite(e.due_at) for no key update skip locked
), woken as (
    update webhook_endpoint e set due_at = now() from free where e.merchant_id = free.merchant_id and e.host = free.host
    returning 1
)
select ((select count(*) from waiting) - (select count(*) from woken))::bigint;

-- WebhookReplayStart begins to send a range again, up to the last number there is.
-- name: WebhookReplayStart :one
insert into webhook_replay (merchant_id, url, from_at, until_at, last_number, started_at)
select @merchant_id, @url, sqlc.narg(from_at), sqlc.narg(until_at), r.last_number, @started_at from webhook_relay r
returning id;

-- name: WebhookReplaysRunning :many
select id from webhook_replay where state = 'running' order by id;

-- WebhookReplayLock locks a range that is being sent again, unless somebody is at it or it has ended.
-- name: WebhookReplayLock :one
select * from webhook_replay where id = @id and state = 'running' for no key update skip locked;

-- name: WebhookReplayAdvance :exec
update webhook_replay set after_number = @after_number, replayed = replayed + @count,
    state = case when @done::boolean then 'done' else state end
where id = @id;

-- WebhookReplaysOf lists the ranges that are being sent again; whose is null for operators, who see all.
-- name: WebhookReplaysOf :many
select r.id, r.url, r.replayed, m.name as merchant from webhook_replay r join merchant m on m.id = r.merchant_id
where r.state = 'running' and (sqlc.narg(whose)::bigint is null or r.merchant_id = sqlc.narg(whose))
order by r.id desc limit @most;

-- WebhookReplayGet reads how far a range is; whose is null for operators, who see all.
-- name: WebhookReplayGet :one
select * from webhook_replay
where id = @id and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id));

-- WebhookReplayLeft counts the dead events of a range that are still to come, as far as they are counted.
-- name: WebhookReplayLeft :one
select count(*) from (
    select from webhook_event
    where merchant_id = @merchant_id and status = 'dead' and number > @after_number::bigint and number <= @last_number::bigint
      and url = @url
      and created_at >= coalesce(sqlc.narg('from')::timestamptz, '-infinity')
      and created_at < coalesce(sqlc.narg('until')::timestamptz, 'infinity')
    limit @most
) left_over;

-- WebhookReplayStop ends a range where it is.
-- name: WebhookReplayStop :exec
update webhook_replay set state = 'stopped'
where id = @id and state = 'running' and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id));

-- WebhookEndpointQueued counts an endpoint's deliveries in the queue, up to so many.
-- name: WebhookEndpointQueued :one
select count(*) from (select 1 from webhook_delivery where merchant_id = @merchant_id and host = @host limit @most) queued;

-- WebhookEventGet reads one of a merchant's events.
-- name: WebhookEventGet :one
select * from webhook_event where merchant_id = @merchant_id and id = @id;

-- WebhookEventLatest is the last event of a merchant's cashbox that has an address, among so many of the merchant's.
-- name: WebhookEventLatest :one
with recent as (
    select id, cashbox_id, number, url from webhook_event
    where merchant_id = @merchant_id and number is not null order by number desc limit @most
)
select id from recent where cashbox_id = @cashbox_id and url <> '' order by number desc limit 1;

-- WebhookAttemptPurge removes attempts of no month, from before a time. There are few.
-- name: WebhookAttemptPurge :one
with gone as (
    delete from webhook_attempt_other where at < @before returning id
)
select count(*) as count, coalesce(min(gone.id), 0)::bigint as first, coalesce(max(gone.id), 0)::bigint as last from gone;

-- WebhookHolderNote lists an event that names the holder of its payment's card.
-- name: WebhookHolderNote :exec
insert into webhook_holder (merchant_id, event_id, payment_id) values (@merchant_id, @event_id, @payment_id);

-- WebhookHolderErase takes the holder's name out of events that are settled and whose payment's card is erased. A quote within a
-- value is escaped, so that nothing a merchant or payer wrote looks like the field.
-- name: WebhookHolderErase :one
with due as (
    select h.merchant_id, h.event_id, convert_to(regexp_replace(convert_from(e.body, 'UTF8'),
        '("payerRequisites":\{"cardLast4":"[^"\\]*"),"cardHolder":"(?:[^"\\]|\\.)*"', '\1'), 'UTF8') as body
    from webhook_holder h
    join webhook_event e on e.merchant_id = h.merchant_id and e.id = h.event_id
    where e.status <> 'pending' and not exists (
        select from payment_card c where c.merchant_id = h.merchant_id and c.payment_id = h.payment_id and c.holder is not null
    )
    limit @most
), erased as (
    update webhook_event e set body = due.body
    from due where e.merchant_id = due.merchant_id and e.id = due.event_id and e.status <> 'pending'
    returning e.merchant_id, e.id
), done as (
    delete from webhook_holder h using erased where h.merchant_id = erased.merchant_id and h.event_id = erased.id
)
select count(*) from erased;
