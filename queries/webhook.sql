-- WebhookEventInsert writes an event and its place in the outbox, from which it is relayed.
-- name: WebhookEventInsert :exec
with event as (
    insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
    values (@merchant_id, @id, @cashbox_id, @type, @subject, @subject_id, @sequence, @url, @body, @created_at)
)
insert into webhook_outbox (merchant_id, event_id) values (@merchant_id, @id);

-- WebhookOutboxAny reports whether there is anything to relay, without a lock.
-- name: WebhookOutboxAny :one
select exists (select from webhook_outbox);

-- WebhookOutboxOldest is when the event was written that waits longest to be relayed.
-- name: WebhookOutboxOldest :one
select e.created_at from webhook_outbox o join webhook_event e on e.merchant_id = o.merchant_id and e.id = o.event_id
order by o.id limit 1;

-- WebhookRelayLock makes the caller the relay until its transaction ends, unless there is one at the moment.
-- name: WebhookRelayLock :one
select last_number from webhook_relay for update skip locked;

-- WebhookRelayTake takes the oldest events out of the outbox and numbers them on. One that somebody else has locked waits in
-- the outbox and holds up no other.
-- name: WebhookRelayTake :many
with due as (
    select o.id, o.merchant_id, o.event_id
    from webhook_outbox o join webhook_event e on e.merchant_id = o.merchant_id and e.id = o.event_id
    order by o.id limit @batch
    for no key update of e skip locked
), taken as (
    delete from webhook_outbox where id in (select id from due)
), numbered as (
    select merchant_id, event_id, row_number() over (order by id) as place from due
)
update webhook_event e set number = sqlc.arg(last_number)::bigint + n.place from numbered n
where e.merchant_id = n.merchant_id and e.id = n.event_id
returning e.merchant_id, e.id, e.url, e.number::bigint as number;

-- name: WebhookRelaySetLast :exec
update webhook_relay set last_number = @last_number;

-- WebhookDelivery reads what a delivery sends and what it is signed with.
-- name: WebhookDelivery :one
select e.url, e.body, e.status, e.round, e.cashbox_id,
       c.webhook_secret, array(select p.secret from webhook_secret_previous p
           where p.cashbox_id = c.id and p.until > @now order by p.id desc)::bytea[] as previous_secrets
from webhook_event e join cashbox c on c.merchant_id = e.merchant_id and c.id = e.cashbox_id
where e.merchant_id = @merchant_id and e.id = @id;

-- WebhookAttemptInsert keeps an attempt and where it leaves its event. A pending event stays as it is, and so does one
-- that has been settled, or sent again, since the attempt began.
-- name: WebhookAttemptInsert :exec
with moved as (
    update webhook_event set status = @event_status::text
    where merchant_id = @merchant_id and id = @event_id and round = @round
      and status = 'pending' and @event_status::text <> 'pending'
)
insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer, error)
values (@merchant_id, @event_id, @at, @duration_ms, @status_code, @answer, @error);

-- WebhookAttemptList lists the attempts of events, each named by its merchant and its id at the same place.
-- name: WebhookAttemptList :many
select * from webhook_attempt
where (merchant_id, event_id) in (select unnest(@merchant_ids::bigint[]), unnest(@event_ids::uuid[]))
order by merchant_id, event_id, id;

-- WebhookEventFeed lists a merchant's events after a number, in their order. The relay gives the numbers in such a way that
-- none can appear below one that has been seen.
-- name: WebhookEventFeed :many
select merchant_id, id, type, url, body, created_at, status, number::bigint as number
from webhook_event
where merchant_id = @merchant_id and number > @after_number::bigint
order by number
limit @page;

-- WebhookEventFeedByStatus is WebhookEventFeed of the events in one status, by an index of its own.
-- name: WebhookEventFeedByStatus :many
select merchant_id, id, type, url, body, created_at, status, number::bigint as number
from webhook_event
where merchant_id = @merchant_id and status = @status and number > @after_number::bigint
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
    where d.merchant_id = @merchant_id and d.status = 'dead' and d.number > @after_number::bigint and d.url = @url
      and d.created_at >= coalesce(sqlc.narg('from')::timestamptz, '-infinity')
      and d.created_at < coalesce(sqlc.narg('until')::timestamptz, 'infinity')
    order by d.number limit @batch
    for no key update skip locked
)
update webhook_event e set status = 'pending', round = e.round + 1
from batch b where e.merchant_id = b.merchant_id and e.id = b.id
returning e.id, e.number::bigint as number, e.round;
