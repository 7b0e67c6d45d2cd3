-- name: PaymentHistoryInsert :exec
insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status, reason, received_amount, settled_amount)
values (@merchant_id, @payment_id, @at, @actor, @from_status, @to_status, @reason, @received_amount, @settled_amount);

-- name: PaymentHistoryList :many
select * from payment_history where merchant_id = @merchant_id and payment_id = @payment_id order by id;
