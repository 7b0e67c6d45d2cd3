-- name: ReceiptInsert :exec
insert into payment_receipt (merchant_id, payment_id, number, file_name, file_type, file_size, created_at)
values (@merchant_id, @payment_id, @number, @file_name, @file_type, @file_size, @created_at);

-- name: ReceiptChunkInsert :exec
insert into payment_receipt_chunk (merchant_id, payment_id, receipt, number, content)
values (@merchant_id, @payment_id, @receipt, @number, @content);

-- name: ReceiptList :many
select * from payment_receipt where merchant_id = @merchant_id and payment_id = @payment_id order by number;

-- name: ReceiptGet :one
select * from payment_receipt where merchant_id = @merchant_id and payment_id = @payment_id and number = @number;

-- name: ReceiptChunkList :many
select content from payment_receipt_chunk
where merchant_id = @merchant_id and payment_id = @payment_id and receipt = @receipt order by number;

-- name: ReceiptCount :one
select count(*) from payment_receipt where merchant_id = @merchant_id and payment_id = @payment_id;
