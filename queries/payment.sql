-- PaymentInsert takes every column in the table's order, so that its parameters are a payment.
-- name: PaymentInsert :exec
insert into payment (
    merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, description, callback_uri, payer_user_id,
    payer_ip, payer_full_name, payer_type, payer_successful, payer_expired, provider_payment_id, status,
    status_reason, status_at, expires_at, created_at, event_sequence, trader_id, requisite_id, requisite_type,
    requisite_method, requisite_holder, requisite_bank, base_rate, rate_source, rate_unavailable,
    markup_percent, trader_share_percent, hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt,
    spread_platform_usdt, requisite_day, rate_observed_at, markup_source, version, return_url, payer_claimed_at,
    request_id, request_address, choice_pool, choice_looked, choice_passed, requisite_sealed, requisite_last4,
    received_amount, settled_amount, difference_usdt, metadata
) values (
    @merchant_id, @id, @uuid, @cashbox_id, @order_id, @method, @currency, @amount, @description, @callback_uri,
    @payer_user_id, @payer_ip, @payer_full_name, @payer_type, @payer_successful, @payer_expired,
    @provider_payment_id, @status, @status_reason, @status_at, @expires_at, @created_at, @event_sequence,
    @trader_id, @requisite_id, @requisite_type, @requisite_method, @requisite_holder,
    @requisite_bank, @base_rate, @rate_source, @rate_unavailable, @markup_percent, @trader_share_percent,
    @hold_usdt, @amount_usdt, @profit_usdt, @spread_trader_usdt, @spread_platform_usdt, @requisite_day,
    @rate_observed_at, @markup_source, @version, @return_url, @payer_claimed_at, @request_id, @request_address,
    @choice_pool, @choice_looked, @choice_passed, @requisite_sealed, @requisite_last4, @received_amount,
    @settled_amount, @difference_usdt, @metadata
);

-- name: PaymentGet :one
select * from payment where merchant_id = @merchant_id and id = @id;

-- PaymentFind looks across merchants, for callers who know only the id: the application, traders, operators.
-- name: PaymentFind :one
select * from payment where id = @id;

-- name: PaymentUUID :one
select uuid from payment where id = @id;

-- name: PaymentFindByUUID :one
select * from payment where uuid = @uuid;

-- name: PaymentLock :one
select * from payment where merchant_id = @merchant_id and id = @id for no key update;

-- name: PaymentListByTrader :many
select * from payment
where trader_id = @trader_id and id < @before_id and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
order by id desc limit @page;

-- PaymentMove moves a payment that was read at the version given; at another it violates payment_version, and
-- where there is none it is a division by zero. It moves several where asked has a row for each, and the last 1 is how many.
-- name: PaymentMove :exec
with asked as (
    select @id::bigint as id, @merchant_id::bigint as merchant_id, @status::text as status, sqlc.narg(status_reason)::text as status_reason,
        @status_at::timestamptz as status_at, @expires_at::timestamptz as expires_at,
        sqlc.narg(provider_payment_id)::text as provider_payment_id, @event_sequence::integer as event_sequence, @version::integer as version
), moved as (
    update payment p set status = asked.status, status_reason = asked.status_reason, status_at = asked.status_at,
        expires_at = asked.expires_at, provider_payment_id = asked.provider_payment_id, event_sequence = asked.event_sequence,
        version = case when p.version = asked.version then p.version + 1 else -1 end
    from asked where p.merchant_id = asked.merchant_id and p.id = asked.id
    returning p.id
)
select 1 / (count(*) / 1) from moved;

-- PaymentReceived keeps what came of a payment that PaymentMove has just moved, and what it is worth.
-- name: PaymentReceived :exec
with kept as (
    update payment set received_amount = @received_amount, settled_amount = @settled_amount, difference_usdt = @difference_usdt,
        amount_usdt = @amount_usdt, profit_usdt = @profit_usdt, spread_trader_usdt = @spread_trader_usdt,
        spread_platform_usdt = @spread_platform_usdt
    where merchant_id = @merchant_id and id = @id
    returning id
)
select 1 / count(*) from kept;

-- PaymentProvided keeps the provider's id of a payment that stays as it is.
-- name: PaymentProvided :one
update payment set provider_payment_id = @provider_payment_id, version = version + 1
where merchant_id = @merchant_id and id = @id
returning *;

-- name: PaymentSettle :one
update payment set base_rate = @base_rate, rate_source = @rate_source, rate_observed_at = @rate_observed_at,
    rate_unavailable = false,
    amount_usdt = @amount_usdt, profit_usdt = @profit_usdt, spread_trader_usdt = @spread_trader_usdt,
    spread_platform_usdt = @spread_platform_usdt, difference_usdt = @difference_usdt, version = version + 1
where merchant_id = @merchant_id and id = @id
returning *;

-- PaymentClaim notes that the payer says they have paid, and gives the payment the time to be found in.
-- name: PaymentClaim :one
update payment set payer_claimed_at = @now::timestamptz, expires_at = greatest(expires_at, @until::timestamptz),
    version = version + 1
where merchant_id = @merchant_id and id = @id
returning *;

-- PaymentsExpired lists overdue payments, the oldest first, for a sweep: without those it has put off.
-- name: PaymentsExpired :many
select * from payment
where status = 'pending' and expires_at <= @now and id <> all(@put_off::bigint[])
order by expires_at limit @page;

-- CasesExpired lists payments of which another amount came, and nobody has decided in time. One with an appeal waits for its decision.
-- name: CasesExpired :many
select * from payment c
where c.status = 'appeal' and c.received_amount is not null and c.expires_at <= @now and c.id <> all(@put_off::bigint[])
  and not exists (select from appeal a where a.merchant_id = c.merchant_id and a.payment_id = c.id)
order by c.expires_at, c.id limit @page;

-- CaseList lists payments of which another amount came and nobody has decided, the newest first.
-- name: CaseList :many
select * from payment where status = 'appeal' and received_amount is not null and id < @before_id order by id desc limit @page;

-- PaymentsFree are those of a merchant's payments that nobody is just changing.
-- name: PaymentsFree :many
select id from payment where merchant_id = @merchant_id and id = any(@ids::bigint[]) for no key update skip locked;

-- PaymentsExpiredLeft reports whether any are left, those included that somebody is just changing.
-- name: PaymentsExpiredLeft :one
select (exists (select 1 from payment p where p.status = 'pending' and p.expires_at <= @now and p.id <> all(@put_off::bigint[]))
    or exists (select 1 from payment c where c.status = 'appeal' and c.received_amount is not null and c.expires_at <= @now
        and c.id <> all(@put_off::bigint[])
        and not exists (select from appeal a where a.merchant_id = c.merchant_id and a.payment_id = c.id)))::boolean;

-- PaymentLockExpired locks an overdue payment, unless somebody is just changing it.
-- name: PaymentLockExpired :one
select * from payment
where merchant_id = @merchant_id and id = @id and status = 'pending' and expires_at <= @now
for no key update skip locked;

-- PaymentCountEvent numbers an event that moves no status.
-- name: PaymentCountEvent :one
update payment set event_sequence = event_sequence + 1, version = version + 1 where merchant_id = @merchant_id and id = @id
returning *;

-- PaymentListByPayer lists a payer's payments with one merchant, by one of the payer's names.
-- name: PaymentListByPayer :many
select * from payment
where payer_user_id = @payer::text and merchant_id = @merchant_id and id < @before_id
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
  and (sqlc.narg(order_id)::text is null or order_id = sqlc.narg(order_id))
  and (sqlc.narg(method)::text is null or method = sqlc.narg(method))
  and (sqlc.narg(created_from)::timestamptz is null or created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or created_at < sqlc.narg(created_to))
order by id desc limit @page;

-- PaymentListByMerchant lists a merchant's payments. Of a time, db.Span says between which ids it is.
-- name: PaymentListByMerchant :many
select * from payment
where merchant_id = @merchant_id and id > @above_id and id < @below_id
  and (sqlc.narg(created_from)::timestamptz is null or created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or created_at < sqlc.narg(created_to))
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
  and (sqlc.narg(method)::text is null or method = sqlc.narg(method))
order by id desc limit @page;

-- PaymentListByPair lists a merchant's payments that have a pair of metadata.
-- name: PaymentListByPair :many
select p.* from metadata_pair m join payment p on p.merchant_id = m.merchant_id and p.id = m.subject_id
where m.merchant_id = @merchant_id and m.subject = 'payment' and m.pair = @pair and m.subject_id > @above_id and m.subject_id < @below_id
  and (sqlc.narg(created_from)::timestamptz is null or p.created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or p.created_at < sqlc.narg(created_to))
  and (sqlc.narg(status)::text is null or p.status = sqlc.narg(status))
  and (sqlc.narg(method)::text is null or p.method = sqlc.narg(method))
order by m.subject_id desc limit @page;

-- PaymentListByOrder finds a merchant's payments of one order id, one a channel.
-- name: PaymentListByOrder :many
select p.* from payment_key k join payment p on p.merchant_id = k.merchant_id and p.id = k.payment_id
where k.merchant_id = @merchant_id and k.channel = any(@channels::text[]) and k.order_id = @order_id and p.id < @below_id
  and (sqlc.narg(created_from)::timestamptz is null or p.created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or p.created_at < sqlc.narg(created_to))
  and (sqlc.narg(status)::text is null or p.status = sqlc.narg(status))
order by p.id desc;

-- PaymentDesk lists a trader's open payments, those that end first before the others, each with the number of its receipts. The
-- order is an expression, or a plan might go through everybody's open payments in the order of their end.
-- name: PaymentDesk :many
select sqlc.embed(p), (select count(*) from payment_receipt r where r.merchant_id = p.merchant_id and r.payment_id = p.id)::integer
    as receipts
from payment p where p.trader_id = @trader_id and p.status = 'pending' order by p.expires_at + interval '0', p.id limit @page;

-- PaymentDeskCount counts a trader's open payments, no further than to a number.
-- name: PaymentDeskCount :one
select count(*)::integer from (select 1 from payment where trader_id = @trader_id and status = 'pending' limit @most) as open;

-- PaymentOpenCount counts the pending payments of somebody, no further than most.
-- name: PaymentOpenCount :one
select count(*)::integer from (
    select 1 from payment p
    where p.status = 'pending'
      and (sqlc.narg(merchant_id)::bigint is null or p.merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(cashbox_id)::bigint is null or p.cashbox_id = sqlc.narg(cashbox_id))
      and (sqlc.narg(trader_id)::bigint is null or p.trader_id = sqlc.narg(trader_id))
      and (sqlc.narg(requisite_id)::bigint is null or p.requisite_id = sqlc.narg(requisite_id))
    limit @most
) as open;
