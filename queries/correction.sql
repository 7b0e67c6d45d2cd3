-- CorrectionInsert claims a reference for a transfer by hand. No row: another has it.
-- name: CorrectionInsert :one
insert into correction (reference, debit_account, credit_account, amount, reason, created_at)
values (@reference, @debit_account, @credit_account, @amount, @reason, @created_at)
on conflict (reference) do nothing
returning id;

-- name: CorrectionSetting :one
select jsonb_build_object('reference', reference, 'debit_account', debit_account, 'credit_account', credit_account,
    'amount', amount::text, 'reason', reason)::jsonb
from correction where id = @id;

-- CorrectionByReference reads a transfer by hand and what the log of settings has of it.
-- name: CorrectionByReference :one
select f.debit_account, f.credit_account, f.amount, f.reason, sqlc.embed(c)
from correction f join setting_change c on c.subject = 'correction' and c.subject_key = f.id::text
where f.reference = @reference;

-- CorrectionAccounts are those of the accounts that there are.
-- name: CorrectionAccounts :many
select id from account where id = any(@ids::bigint[]);
