-- name: SettlementDueInsert :exec
insert into settlement_due (merchant_id, payment_id, currency, since) values (@merchant_id, @payment_id, @currency, @since);

-- name: SettlementDueDelete :execrows
delete from settlement_due where merchant_id = @merchant_id and payment_id = @payment_id;

-- SettlementDueList lists what can be settled, the oldest first, for a sweep: without those it has put off.
-- name: SettlementDueList :many
select d.merchant_id, d.payment_id from settlement_due d
where d.currency in (select r.currency from rate r where r.stale_at > @now::timestamptz)
  and d.payment_id <> all(@put_off::bigint[])
order by d.since limit @page;

-- name: SettlementDueCount :one
select count(*) from settlement_due;

-- SettlementDueWaiting lists payments that wait for a rate, the oldest first.
-- name: SettlementDueWaiting :many
select d.merchant_id, d.payment_id, d.currency, d.since, p.amount, p.method, p.trader_id from settlement_due d
join payment p on p.merchant_id = d.merchant_id and p.id = d.payment_id
order by d.since, d.payment_id limit @page;
