-- name: PayinHistoryInsert :exec
insert into payin_history (merchant_id, payin_id, at, actor, from_status, to_status, reason)
values (@merchant_id, @payin_id, @at, @actor, @from_status, @to_status, @reason);
