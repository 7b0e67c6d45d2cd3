-- PayoutKeyInsert claims an order id for a new payout. No row: another payout has it.
-- name: PayoutKeyInsert :one
insert into payin_key (merchant_id, channel, order_id, payin_id)
values (@merchant_id, @channel, @order_id, nextval('payin_id_seq'))
on conflict do nothing
returning payin_id;

-- name: PayoutKeyGet :one
select payin_id from payin_key where merchant_id = @merchant_id and channel = @channel and order_id = @order_id;
