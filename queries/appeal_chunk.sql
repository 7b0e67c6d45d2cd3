-- name: AppealChunkInsert :exec
insert into appeal_chunk (merchant_id, payment_id, number, content) values (@merchant_id, @payment_id, @number, @content);

-- name: AppealChunkList :many
select content from appeal_chunk where merchant_id = @merchant_id and payment_id = @payment_id order by number;
