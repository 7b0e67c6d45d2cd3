-- name: PayoutHistoryInsert :exec
insert into payin_history (merchant_id, payin_id, at, actor, from_status, to_status, reason)
values (@merchant_id, @payin_id, @at, @actor, @from_status, @to_status, @reason);

-- name: PayoutHistoryList :many
select * from payin_history where merchant_id = @merchant_id and payin_id = @payin_id order by id;
