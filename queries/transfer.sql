-- TransferPost writes a transfer and all its legs in one statement; legs marked pending also wait to be folded.
-- name: TransferPost :exec
with posted as (
    insert into transfer (kind, subject, subject_id, created_at)
    values (@kind, @subject, @subject_id, @created_at) returning id
), leg as (
    select unnest(@account_ids::bigint[]) as account_id, unnest(@amounts::numeric[]) as amount,
           unnest(@pending::boolean[]) as pending
), entered as (
    insert into entry (account_id, transfer_id, amount)
    select leg.account_id, posted.id, leg.amount from leg, posted
)
insert into account_pending (account_id, amount) select leg.account_id, leg.amount from leg where leg.pending;
