-- TransferPost writes what moves for one cause, and with it what waits to be folded into the accounts nobody has locked.
-- name: TransferPost :exec
with posted as (
    insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
    select unnest(@debits::bigint[]), unnest(@credits::bigint[]), unnest(@amounts::numeric[]),
           @kind::text, @subject::text, @subject_id::bigint, @created_at::timestamptz
)
insert into account_pending (account_id, amount)
select unnest(@pending_accounts::bigint[]), unnest(@pending_amounts::numeric[]);

-- TransferInsert and AccountPendingInsert are TransferPost for one transfer: each goes straight to its shard.
-- name: TransferInsert :exec
insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
values (@debit_account, @credit_account, @amount, @kind, @subject, @subject_id, @created_at);

-- name: AccountPendingInsert :exec
insert into account_pending (account_id, amount) values (@account_id, @amount);
