-- DepositClaimSet notes the transaction that a deposit's merchant has named. No row: it is another deposit's.
-- name: DepositClaimSet :execrows
insert into deposit_claim (network, transaction_hash, merchant_id, deposit_id, actor, at)
values (@network, @transaction_hash, @merchant_id, @deposit_id, @actor, @now)
on conflict (network, transaction_hash) do nothing;

-- DepositClaimsPending counts the other pending deposits of a merchant of which a transaction was named lately.
-- name: DepositClaimsPending :one
select count(*) from (
    select from deposit_claim k join deposit d on d.merchant_id = k.merchant_id and d.id = k.deposit_id
    where k.merchant_id = @merchant_id and k.at > @since and k.deposit_id <> @deposit_id and d.status = 'pending'
    limit @most
) named;

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
