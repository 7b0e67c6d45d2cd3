-- name: TransferInsert :exec
insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
values (@debit_account, @credit_account, @amount, @kind, @subject, @subject_id, @created_at);

-- AccountPendingInsert writes what waits to be folded into an account that nobody has locked.
-- name: AccountPendingInsert :exec
insert into account_pending (account_id, amount) values (@account_id, @amount);

-- AccountOpened is a division by zero if an account was never opened.
-- name: AccountOpened :exec
select 1 / count(*) from account where id = @id;
