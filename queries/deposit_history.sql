-- name: DepositHistoryInsert :exec
insert into deposit_history (merchant_id, deposit_id, at, actor, from_status, to_status, reason)
values (@merchant_id, @deposit_id, @at, @actor, @from_status, @to_status, @reason);

-- name: DepositHistoryList :many
select * from deposit_history where merchant_id = @merchant_id and deposit_id = @deposit_id order by id;
