-- name: AppealUnhurried :exec
-- A piece of a file, and the time between two, may take longer than in other calls: the transaction holds up nobody but its payment.
select set_config('idle_in_transaction_session_timeout', '30s', true), set_config('statement_timeout', '30s', true);

-- name: AppealChunkInsert :exec
insert into appeal_chunk (merchant_id, payment_id, number, content) values (@merchant_id, @payment_id, @number, @content);

-- name: AppealChunkList :many
select content from appeal_chunk where merchant_id = @merchant_id and payment_id = @payment_id order by number;

-- AppealFilePurge removes the files of the appeals that were decided longest ago, before a time, with what is needed for the receipt.
-- name: AppealFilePurge :one
with due as (
    select d.merchant_id, d.payment_id from appeal d
    where d.file_purged_at is null and d.status in ('completed', 'failed', 'closed') and d.status_at < @before
    order by d.status_at limit @most
), marked as (
    -- What somebody else has purged or opened again meanwhile is left alone: no statement locks rows of several nodes first.
    update appeal a set file_purged_at = @now from due
    where a.merchant_id = due.merchant_id and a.payment_id = due.payment_id
        and a.file_purged_at is null and a.status in ('completed', 'failed', 'closed') and a.status_at < @before
    returning a.merchant_id, a.payment_id, a.id
), gone as (
    delete from appeal_chunk c using marked where c.merchant_id = marked.merchant_id and c.payment_id = marked.payment_id
    returning octet_length(c.content) as bytes
)
select count(*) as count, (select coalesce(sum(gone.bytes), 0) from gone)::bigint as bytes,
    coalesce(min(marked.id), 0)::bigint as first, coalesce(max(marked.id), 0)::bigint as last
from marked;
