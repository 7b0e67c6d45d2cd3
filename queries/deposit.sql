-- DepositInsert claims an idempotency key for a new request. No row: another request has it.
-- name: DepositInsert :one
insert into deposit (merchant_id, cashbox_id, amount, network, address, external_reference, idempotency_key, created_at, status_at,
    metadata)
values (@merchant_id, @cashbox_id, @amount, @network, @address, @external_reference, @idempotency_key, @now, @now, @metadata)
on conflict (merchant_id, idempotency_key) do nothing
returning *;

-- DepositTurn has the new deposits of a merchant come one after another until the transaction ends.
-- name: DepositTurn :exec
select pg_advisory_xact_lock(hashtextextended('deposit ' || @merchant_id::text, 0));

-- DepositsOpen counts the pending deposits of a merchant, up to so many.
-- name: DepositsOpen :one
select count(*) from (
    select d.id from deposit d where d.merchant_id = @merchant_id and d.status = 'pending' limit @most
) o;

-- name: DepositByKey :one
select * from deposit where merchant_id = @merchant_id and idempotency_key = @idempotency_key;

-- DepositFind looks across merchants: an id is all that callers know.
-- name: DepositFind :one
select * from deposit where id = @id;

-- name: DepositLock :one
select * from deposit where merchant_id = @merchant_id and id = @id for no key update;

-- name: DepositMove :one
update deposit set status = @status, status_at = @now where merchant_id = @merchant_id and id = @id
returning *;

-- name: DepositList :many
select * from deposit where id < @before_id and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
order by id desc limit @page;

-- DepositListOwn lists a merchant's deposits from an id down, or backward from it up.
-- name: DepositListOwn :many
select * from deposit where merchant_id = @merchant_id
  and case when @backward::boolean then id > @beyond_id::bigint else id < @beyond_id end
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
  and (sqlc.narg(cashbox_id)::bigint is null or cashbox_id = sqlc.narg(cashbox_id))
  and (sqlc.narg(idempotency_key)::uuid is null or idempotency_key = sqlc.narg(idempotency_key))
  and (sqlc.narg(created_from)::timestamptz is null or created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or created_at < sqlc.narg(created_to))
order by case when @backward then id end, id desc limit @page;

-- DepositListByPair lists a merchant's deposits that have a pair of metadata.
-- name: DepositListByPair :many
select d.* from metadata_pair m join deposit d on d.merchant_id = m.merchant_id and d.id = m.subject_id
where m.merchant_id = @merchant_id and m.subject = 'deposit' and m.pair = @pair
  and case when @backward::boolean then m.subject_id > @beyond_id::bigint else m.subject_id < @beyond_id end
  and (sqlc.narg(status)::text is null or d.status = sqlc.narg(status))
  and (sqlc.narg(cashbox_id)::bigint is null or d.cashbox_id = sqlc.narg(cashbox_id))
  and (sqlc.narg(idempotency_key)::uuid is null or d.idempotency_key = sqlc.narg(idempotency_key))
  and (sqlc.narg(created_from)::timestamptz is null or d.created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or d.created_at < sqlc.narg(created_to))
order by case when @backward then m.subject_id end, m.subject_id desc limit @page;

-- DepositsBegun finds deposits whose references begin with a text, in whatever case: the newest of the first thousand.
-- name: DepositsBegun :many
with named as (
    select d.merchant_id, d.id from deposit d
    where lower(d.external_reference) ~>=~ @begins::text and lower(d.external_reference) ~<~ @beyond::text
      and (sqlc.narg(merchant_id)::bigint is null or d.merchant_id = sqlc.narg(merchant_id))
    limit 1000
), newest as (select n.merchant_id, n.id from named n order by n.id desc limit @page)
select d.* from newest n join deposit d on d.merchant_id = n.merchant_id and d.id = n.id
order by d.id desc;
