-- name: AppealUnhurried :exec
-- Between two pieces of a file the transaction may be silent for longer than in other calls: it holds up nobody but its payment.
select set_config('idle_in_transaction_session_timeout', '30s', true);

-- name: AppealChunkInsert :exec
insert into appeal_chunk (merchant_id, payment_id, number, content) values (@merchant_id, @payment_id, @number, @content);

-- name: AppealChunkList :many
select content from appeal_chunk where merchant_id = @merchant_id and payment_id = @payment_id order by number;
