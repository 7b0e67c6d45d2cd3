-- name: SettlementDueInsert :exec
insert into settlement_due (merchant_id, payment_id, currency, since) values (@merchant_id, @payment_id, @currency, @since);

-- name: SettlementDueDelete :execrows
delete from settlement_due where merchant_id = @merchant_id and payment_id = @payment_id;

-- name: SettlementDueList :many
select d.merchant_id, d.payment_id from settlement_due d
where exists (select from rate r where r.currency = d.currency and r.stale_at > @now::timestamptz)
order by d.since limit @page;
