-- name: PayerBlocksSince :many
select id, mark, merchant_id, until, ended_at from payer_block where version >= @version;

-- PayerBlocked is one of the marks that is blocked at a merchant, or ''.
-- name: PayerBlocked :one
select coalesce(min(mark), '')::text from payer_block
where mark = any(@marks::text[]) and (merchant_id is null or merchant_id = @merchant_id::bigint)
  and ended_at is null and (until is null or until > @now::timestamptz);

-- PayerBlockSet blocks, or changes why and until when. One that was not lifted ends no sooner than it did.
-- name: PayerBlockSet :one
insert into payer_block (kind, mark, shown, merchant_id, own, reason, until, created_at, created_by)
values (@kind, @mark, @shown, sqlc.narg(merchant_id), @own, @reason, sqlc.narg(until), @created_at, @created_by)
on conflict (mark, merchant_id, own) do update set reason = excluded.reason,
    until = case when payer_block.ended_at is null
        then nullif(greatest(coalesce(payer_block.until, 'infinity'), coalesce(excluded.until, 'infinity')), 'infinity')
        else excluded.until end,
    created_at = excluded.created_at, created_by = excluded.created_by, ended_at = null, ended_by = null, ended_reason = null
returning id;

-- name: PayerBlockEnd :exec
update payer_block set ended_at = @ended_at, ended_by = @ended_by, ended_reason = @ended_reason where id = @id;

-- PayerBlockSetting locks a block and reads it as the log has it.
-- name: PayerBlockSetting :one
select (to_jsonb(b) - 'version' - 'mark')::jsonb from payer_block b
where mark = @mark and merchant_id is not distinct from sqlc.narg(merchant_id)::bigint and own = @own for no key update;

-- PayerBlockList lists blocks, the newest first: those a merchant made, or all.
-- name: PayerBlockList :many
select id, kind, mark, shown, merchant_id, own, reason, until, created_at, created_by, ended_at, ended_by, ended_reason
from payer_block
where id < @before_id
  and (sqlc.narg(id)::bigint is null or id = sqlc.narg(id))
  and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id) and own)
  and (sqlc.narg(marks)::text[] is null or mark = any(sqlc.narg(marks)::text[]))
  and (sqlc.narg(holds_at)::timestamptz is null or ended_at is null and (until is null or until > sqlc.narg(holds_at)))
order by id desc limit @page;

-- PayerOfPayment is what is known of a payment's payer; of the card that was tried last, its hash. A payment by a link was made by its
-- payer, from their own address.
-- name: PayerOfPayment :one
select p.merchant_id, p.payer_user_id, c.last4,
    coalesce(case when exists (select from payment_history h where h.merchant_id = p.merchant_id and h.payment_id = p.id
        and h.from_status is null and h.actor like 'link:%') then p.request_address else p.payer_ip end, '')::text as address,
    (select a.card from card_attempt a where a.merchant_id = p.merchant_id and a.payment_id = p.id and a.card is not null
     order by a.id desc limit 1) as card
from payment p left join payment_card c on c.merchant_id = p.merchant_id and c.payment_id = p.id
where p.id = @id;
