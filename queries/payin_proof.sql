-- name: PayoutProofInsert :exec
insert into payin_proof (merchant_id, payin_id, file_name, file_type, file_size, created_at)
values (@merchant_id, @payin_id, @file_name, @file_type, @file_size, @created_at);

-- name: PayoutProofChunkInsert :exec
insert into payin_proof_chunk (merchant_id, payin_id, number, content) values (@merchant_id, @payin_id, @number, @content);

-- name: PayoutProofGet :one
select * from payin_proof where merchant_id = @merchant_id and payin_id = @payin_id;

-- name: PayoutProofChunkList :many
select content from payin_proof_chunk where merchant_id = @merchant_id and payin_id = @payin_id order by number;

-- PayoutProofPurge removes the files of the oldest proofs, from before a time.
-- name: PayoutProofPurge :one
with due as (
    select p.merchant_id, p.payin_id from payin_proof p
    where p.purged_at is null and p.created_at < @before order by p.created_at limit @most
), marked as (
    update payin_proof p set purged_at = @now from due
    where p.merchant_id = due.merchant_id and p.payin_id = due.payin_id and p.purged_at is null
    returning p.merchant_id, p.payin_id
), gone as (
    delete from payin_proof_chunk c using marked where c.merchant_id = marked.merchant_id and c.payin_id = marked.payin_id
    returning octet_length(c.content) as bytes
)
select count(*) as count, (select coalesce(sum(gone.bytes), 0) from gone)::bigint as bytes,
    coalesce(min(marked.payin_id), 0)::bigint as first, coalesce(max(marked.payin_id), 0)::bigint as last
from marked;
