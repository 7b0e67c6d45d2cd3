-- DepositClaimSet notes the transaction that a deposit's merchant has named. No row: it is another deposit's.
-- name: DepositClaimSet :execrows
insert into deposit_claim (network, transaction_hash, merchant_id, deposit_id, actor, at)
values (@network, @transaction_hash, @merchant_id, @deposit_id, @actor, @now)
on conflict (network, transaction_hash) do nothing;

-- DepositClaimsLately are the other deposits of which a merchant has named a transaction lately.
-- name: DepositClaimsLately :many
select deposit_id from deposit_claim
where merchant_id = @merchant_id and at > @since and deposit_id <> @deposit_id
order by at desc limit 10000;

-- DepositsPending counts those of a merchant's deposits that are pending.
-- name: DepositsPending :one
select count(*) from deposit where merchant_id = @merchant_id and id = any(@ids::bigint[]) and status = 'pending';

-- name: DepositClaimDrop :exec
delete from deposit_claim where deposit_id = @deposit_id;

-- DepositClaimOf is who has named a transaction.
-- name: DepositClaimOf :one
select merchant_id, deposit_id, actor from deposit_claim where network = @network and transaction_hash = @transaction_hash;

-- DepositClaimOthers takes away that another deposit has named a transaction.
-- name: DepositClaimOthers :exec
delete from deposit_claim where network = @network and transaction_hash = @transaction_hash and deposit_id <> @deposit_id;

-- name: DepositClaimsOf :many
select deposit_id, transaction_hash from deposit_claim where deposit_id = any(@deposit_ids::bigint[]);

-- DepositTransactionFor are the deposits for which something came by a transaction, null for what is for none.
-- name: DepositTransactionFor :many
select d.deposit_id from chain_transfer t join deposit_transfer d on d.transfer_id = t.id
where t.network = @network and t.transaction_hash = @transaction_hash and t.direction = 'in';
