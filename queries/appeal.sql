-- name: AppealInsert :one
insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor, created_at)
values (@merchant_id, @payment_id, @reason, @file_name, @file_type, @file_size, 'open', @created_at, @actor, @created_at)
returning *;

-- name: AppealExists :one
select exists (select 1 from appeal where merchant_id = @merchant_id and payment_id = @payment_id);

-- AppealWaits reports whether an appeal of a payment waits for its decision.
-- name: AppealWaits :one
select exists (select 1 from appeal where merchant_id = @merchant_id and payment_id = @payment_id and status in ('open', 'in_review'));

-- AppealFollow keeps an appeal, if there is one, in step with its payment.
-- name: AppealFollow :exec
update appeal set status = @status, status_at = @status_at where merchant_id = @merchant_id and payment_id = @payment_id;

-- AppealStatement keeps what a refusal rests on.
-- name: AppealStatement :exec
update appeal set statement = @statement where merchant_id = @merchant_id and payment_id = @payment_id;

-- AppealFind looks across merchants: an operator knows only the id.
-- name: AppealFind :one
select * from appeal where id = @id;

-- name: AppealList :many
select sqlc.embed(a), sqlc.embed(p) from appeal a join payment p on p.merchant_id = a.merchant_id and p.id = a.payment_id
where a.id < @before_id and (sqlc.narg(status)::text is null or a.status = sqlc.narg(status))
order by a.id desc limit @page;

-- AppealListOwn lists a merchant's appeals from an id down, or backward from it up.
-- name: AppealListOwn :many
select sqlc.embed(a), sqlc.embed(p) from appeal a join payment p on p.merchant_id = a.merchant_id and p.id = a.payment_id
where a.merchant_id = @merchant_id
  and case when @backward::boolean then a.id > @beyond_id::bigint else a.id < @beyond_id end
  and (sqlc.narg(statuses)::text[] is null or a.status = any(sqlc.narg(statuses)::text[]))
  and (sqlc.narg(cashbox_id)::bigint is null or p.cashbox_id = sqlc.narg(cashbox_id))
order by case when @backward then a.id end, a.id desc limit @page;

-- name: AppealGet :one
select sqlc.embed(a), sqlc.embed(p) from appeal a join payment p on p.merchant_id = a.merchant_id and p.id = a.payment_id
where a.merchant_id = @merchant_id and a.id = @id;

-- name: AppealOfPayment :one
select id from appeal where merchant_id = @merchant_id and payment_id = @payment_id;
