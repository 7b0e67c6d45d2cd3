-- PaymentKeyInsert claims an order id for a new payment. No row: another payment has it.
-- name: PaymentKeyInsert :one
insert into payment_key (merchant_id, channel, order_id, payment_id)
values (@merchant_id, @channel, @order_id, nextval('payment_id_seq'))
on conflict do nothing
returning payment_id;

-- name: PaymentKeyGet :one
select payment_id from payment_key where merchant_id = @merchant_id and channel = @channel and order_id = @order_id;
