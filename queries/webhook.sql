-- name: WebhookEventInsert :exec
insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
values (@merchant_id, @id, @cashbox_id, @type, @subject, @subject_id, @sequence, @url, @body, @created_at);

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

-- WebhookEventFeed lists a merchant's events after a position, of the transactions below the oldest one still open:
-- none can ever appear before a position that has gone by.
-- name: WebhookEventFeed :many
select e.merchant_id, e.id, e.type, e.url, e.body, e.created_at, e.status, e.number, e.xid::text::bigint as xid
from webhook_event e
where e.merchant_id = @merchant_id and (e.xid, e.number) > (cast(@after_xid::text as xid8), @after_number::bigint)
  and e.xid < pg_snapshot_xmin(pg_current_snapshot())
order by e.xid, e.number
limit @page;

-- WebhookEventFeedByStatus is WebhookEventFeed of the events in one status, by an index of its own.
-- name: WebhookEventFeedByStatus :many
select e.merchant_id, e.id, e.type, e.url, e.body, e.created_at, e.status, e.number, e.xid::text::bigint as xid
from webhook_event e
where e.merchant_id = @merchant_id and e.status = @status
  and (e.xid, e.number) > (cast(@after_xid::text as xid8), @after_number::bigint)
  and e.xid < pg_snapshot_xmin(pg_current_snapshot())
order by e.xid, e.number
limit @page;

-- name: WebhookEventDead :many
select merchant_id, id, type, url, body, created_at, status, number
from webhook_event
where status = 'dead' and number < @before_number
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
    where d.merchant_id = @merchant_id and d.status = 'dead' and d.number > @after_number and d.url = @url
      and d.created_at >= coalesce(sqlc.narg('from')::timestamptz, '-infinity')
      and d.created_at < coalesce(sqlc.narg('until')::timestamptz, 'infinity')
    order by d.number limit @batch
    for no key update skip locked
)
update webhook_event e set status = 'pending', round = e.round + 1
from batch b where e.merchant_id = b.merchant_id and e.id = b.id
returning e.id, e.number, e.round;
