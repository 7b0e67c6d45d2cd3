-- name: ReceiptInsert :exec
insert into payment_receipt (merchant_id, payment_id, number, file_name, file_type, file_size, created_at)
values (@merchant_id, @payment_id, @number, @file_name, @file_type, @file_size, @created_at);

-- name: ReceiptChunkInsert :exec
insert into payment_receipt_chunk (merchant_id, payment_id, receipt, number, content)
values (@merchant_id, @payment_id, @receipt, @number, @content);

-- name: ReceiptList :many
select * from payment_receipt where merchant_id = @merchant_id and payment_id = @payment_id order by number;

-- name: ReceiptGet :one
select * from payment_receipt where merchant_id = @merchant_id and payment_id = @payment_id and number = @number;

-- name: ReceiptChunkList :many
select content from payment_receipt_chunk
where merchant_id = @merchant_id and payment_id = @payment_id and receipt = @receipt order by number;

-- name: ReceiptCount :one
select count(*) from payment_receipt where merchant_id = @merchant_id and payment_id = @payment_id;

-- ReceiptThere tells whether a payment has a receipt with this content, of which the SHA-256 is given.
-- name: ReceiptThere :one
select exists (
    select 1 from payment_receipt r
    join payment_receipt_chunk c on c.merchant_id = r.merchant_id and c.payment_id = r.payment_id and c.receipt = r.number
    where r.merchant_id = @merchant_id and r.payment_id = @payment_id and r.file_size = @file_size
    group by r.number
    having sha256(string_agg(c.content, ''::bytea order by c.number)) = @sum::bytea
);

-- ReceiptPurge removes the files of the oldest receipts from before a time, of payments that have ended long enough ago, and
-- whose appeal, if there is one, was decided as long ago. A receipt that an appeal was opened with is a copy, and goes with the others.
-- name: ReceiptPurge :one
with due as (
    select r.merchant_id, r.payment_id, r.number
    from payment_receipt r join payment p on p.merchant_id = r.merchant_id and p.id = r.payment_id
    where r.purged_at is null and r.created_at < @before and p.status in ('completed', 'failed', 'cancelled') and p.status_at < @before
      and not exists (
          select from appeal a where a.merchant_id = r.merchant_id and a.payment_id = r.payment_id
              and (a.status not in ('completed', 'failed', 'closed') or a.status_at >= @before)
      )
    order by r.created_at limit @most
), marked as (
    update payment_receipt r set purged_at = @now from due
    where r.merchant_id = due.merchant_id and r.payment_id = due.payment_id and r.number = due.number and r.purged_at is null
    returning r.merchant_id, r.payment_id, r.number
), gone as (
    delete from payment_receipt_chunk c using marked
    where c.merchant_id = marked.merchant_id and c.payment_id = marked.payment_id and c.receipt = marked.number
    returning octet_length(c.content) as bytes
)
select count(*) as count, (select coalesce(sum(gone.bytes), 0) from gone)::bigint as bytes,
    coalesce(min(marked.payment_id), 0)::bigint as first, coalesce(max(marked.payment_id), 0)::bigint as last
from marked;
