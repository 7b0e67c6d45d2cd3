-- PaymentIDs gives ids to payments that are going to be made.
-- name: PaymentIDs :many
select nextval('payment_id_seq') from generate_series(1, @many::integer);

-- PaymentKeyInsert claims an order id for a new payment; where another has it, it violates payment_key_pkey.
-- name: PaymentKeyInsert :exec
insert into payment_key (merchant_id, channel, order_id, payment_id) values (@merchant_id, @channel, @order_id, @payment_id);

-- name: PaymentKeyGet :one
select payment_id from payment_key where merchant_id = @merchant_id and channel = @channel and order_id = @order_id;
