-- PayoutFileNext is the id of a new file, for which its content is sealed.
-- name: PayoutFileNext :one
select nextval('payout_file_id_seq')::bigint;

-- PayoutFileInsert keeps a file, or has one that was sent before, and of which nothing was made, paid by another key. No row: its
-- payouts are made.
-- name: PayoutFileInsert :one
insert into payout_file as f (id, merchant_id, key_id, cashbox_id, hash, name, content, sent_at, sent_by)
values (@id, @merchant_id, @key_id, @cashbox_id, @hash, @name, @content, @sent_at, @sent_by)
on conflict (merchant_id, hash) do update set key_id = excluded.key_id, cashbox_id = excluded.cashbox_id, name = excluded.name,
    sent_at = excluded.sent_at, sent_by = excluded.sent_by
where f.made_at is null
returning f.id;

-- PayoutFileByHash finds a file that was sent before.
-- name: PayoutFileByHash :one
select id from payout_file where merchant_id = @merchant_id and hash = @hash;

-- PayoutFileTrim drops what a merchant has sent and not used, but the newest so many.
-- name: PayoutFileTrim :exec
delete from payout_file d where d.made_at is null and d.id in (
    select f.id from payout_file f where f.merchant_id = @merchant_id and f.made_at is null order by f.id desc offset @keep::integer
);

-- name: PayoutFileGet :one
select * from payout_file where merchant_id = @merchant_id and id = @id;

-- PayoutFileLock has those who make the payouts of a file at the same time wait for one another.
-- name: PayoutFileLock :one
select * from payout_file where merchant_id = @merchant_id and id = @id for no key update;

-- name: PayoutFileList :many
select id, key_id, cashbox_id, name, sent_at, sent_by, made_at, made_by, payouts, amount, frozen_usdt from payout_file
where merchant_id = @merchant_id and id < @before_id order by id desc limit @page;

-- name: PayoutFileMade :exec
update payout_file set made_at = @made_at, made_by = @made_by, payouts = @payouts, amount = @amount, frozen_usdt = @frozen_usdt,
    content = null
where id = @id;

-- PayoutFilePurge drops what was sent before a time and not used.
-- name: PayoutFilePurge :execrows
delete from payout_file where made_at is null and sent_at < @before;

-- name: PayoutFileRowsInsert :exec
insert into payout_file_row (merchant_id, file_id, line, payin_id)
select @merchant_id, @file_id, unnest(@lines::integer[]), unnest(@payout_ids::bigint[]);

-- PayoutFileRowList lists the payouts of a file in the order of its lines.
-- name: PayoutFileRowList :many
select r.line, sqlc.embed(p) from payout_file_row r join payin p on p.merchant_id = r.merchant_id and p.id = r.payin_id
where r.merchant_id = @merchant_id and r.file_id = @file_id and r.line > @after
order by r.line limit @page;

-- PayoutFileCounts counts the payouts of a file by their status.
-- name: PayoutFileCounts :many
select p.status, count(*) as payouts from payout_file_row r join payin p on p.merchant_id = r.merchant_id and p.id = r.payin_id
where r.merchant_id = @merchant_id and r.file_id = @file_id group by p.status;

-- PayoutKeys lists the keys of a merchant by which its cashboxes pay out now, each with its daily limit and what of that is used;
-- or one of them.
-- name: PayoutKeys :many
select k.id, k.name, c.id as cashbox_id, c.name as cashbox, c.currency, k.payout_daily_limit, coalesce(d.amount, 0)::numeric as used
from api_key k join cashbox c on c.id = k.cashbox_id join merchant m on m.id = c.merchant_id and m.api_enabled
left join key_payout_day d on d.key_id = k.id and d.day = @day
where c.merchant_id = @merchant_id and (sqlc.narg(id)::bigint is null or k.id = sqlc.narg(id)) and 'payouts' = any(k.scopes)
  and k.revoked_at is null and (k.expires_at is null or k.expires_at > @now)
order by k.id desc limit @most;

-- PayoutKeysTaken finds which order ids are taken, in every one of the channels.
-- name: PayoutKeysTaken :many
select channel, order_id from payin_key
where merchant_id = @merchant_id and channel = any(@channels::text[]) and order_id = any(@order_ids::text[]);

-- PayersBlocked are those of the marks that are blocked at a merchant.
-- name: PayersBlocked :many
select distinct mark from payer_block
where mark = any(@marks::text[]) and (merchant_id is null or merchant_id = @merchant_id::bigint)
  and ended_at is null and (until is null or until > @now::timestamptz);
