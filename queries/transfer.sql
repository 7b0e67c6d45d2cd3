-- TransferPost writes what moves for one cause, and with it what waits to be folded into the accounts nobody has locked. One of
-- these that was never opened is a division by zero.
-- name: TransferPost :exec
with posted as (
    insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
    select unnest(@debits::bigint[]), unnest(@credits::bigint[]), unnest(@amounts::numeric[]),
           @kind::text, @subject::text, @subject_id::bigint, @created_at::timestamptz
)
insert into account_pending (account_id, amount)
select unnest(@pending_accounts::bigint[]), unnest(@pending_amounts::numeric[])
where 1 / (case when (select count(*) from account where id = any(@pending_accounts::bigint[])) =
    coalesce(cardinality(@pending_accounts::bigint[]), 0) then 1 else 0 end) = 1;

-- TransferInsert and AccountPendingInsert are TransferPost for one transfer between the two accounts of an owner, which are
-- opened together and of which the debit finds one: each goes straight to its shard.
-- name: TransferInsert :exec
insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
values (@debit_account, @credit_account, @amount, @kind, @subject, @subject_id, @created_at);

-- name: AccountPendingInsert :exec
insert into account_pending (account_id, amount) values (@account_id, @amount);
