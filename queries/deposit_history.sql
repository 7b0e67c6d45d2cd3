-- name: DepositHistoryInsert :exec
insert into deposit_history (merchant_id, deposit_id, at, actor, from_status, to_status, reason)
values (@merchant_id, @deposit_id, @at, @actor, @from_status, @to_status, @reason);
