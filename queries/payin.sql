-- name: PayinInsert :one
insert into payin (
    merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri,
    address, address_mask, recipient, bank_code, bank_name, user_id, user_ip,
    status, status_at, expires_at, created_at,
    base_rate, rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt
) values (
    @merchant_id, @id, @uuid, @cashbox_id, @order_id, @method, @currency, @amount, @callback_uri,
    @address, @address_mask, @recipient, @bank_code, @bank_name, @user_id, @user_ip,
    'waiting', @created_at, @expires_at, @created_at,
    @base_rate, @rate_source, @rate_observed_at, @markup_percent, @spot_usdt, @frozen_usdt
) returning *;

-- name: PayinGet :one
select * from payin where merchant_id = @merchant_id and id = @id;

-- PayinFind looks across merchants: a uuid is all that callers know.
-- name: PayinFind :one
select * from payin where uuid = @uuid;

-- name: PayinLock :one
select * from payin where merchant_id = @merchant_id and id = @id for no key update;

-- PayinTake gives a locked payout to a trader, at his terms.
-- name: PayinTake :one
update payin set status = 'processing', status_reason = null, status_at = @now, taken_at = @now, trader_id = @trader_id::bigint,
    trader_share_percent = @trader_share_percent, trader_usdt = @trader_usdt, platform_usdt = @platform_usdt
where merchant_id = @merchant_id and id = @id
returning *;

-- PayinEnd ends a locked payout.
-- name: PayinEnd :one
update payin set status = @status, status_reason = @status_reason, status_at = @now,
    proof_reference = sqlc.narg(proof_reference), event_sequence = event_sequence + 1
where merchant_id = @merchant_id and id = @id
returning *;

-- PayinListForTrader lists a trader's own payouts and those waiting that he can pay.
-- name: PayinListForTrader :many
select p.* from payin p
where p.id in (
    (select own.id from payin own
     where own.trader_id = @trader_id::bigint and own.id < @before_id
       and (sqlc.narg(status)::text is null or own.status = sqlc.narg(status))
     order by own.id desc limit @page)
    union all
    (select w.id from payin w
     join trader_payout_method m on m.currency = w.currency and m.method = w.method
     join trader t on t.id = m.trader_id
     where w.status = 'waiting' and w.id < @before_id and m.trader_id = @trader_id::bigint and m.enabled and t.enabled
       and (sqlc.narg(status)::text is null or sqlc.narg(status) = 'waiting')
     order by w.id desc limit @page)
)
order by p.id desc limit @page;

-- PayinListByMerchant lists a merchant's payouts.
-- name: PayinListByMerchant :many
select * from payin
where merchant_id = @merchant_id and id < @before_id and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
order by id desc limit @page;

-- PayinListOverdue lists the payouts that a trader took and did not end in time.
-- name: PayinListOverdue :many
select * from payin where status = 'processing' and expires_at <= @now and id < @before_id order by id desc limit @page;

-- name: PayinsExpired :many
select merchant_id, id from payin where status = 'waiting' and expires_at <= @now order by expires_at limit @page;

-- name: PayinLockExpired :one
select * from payin
where merchant_id = @merchant_id and id = @id and status = 'waiting' and expires_at <= @now
for no key update skip locked;
