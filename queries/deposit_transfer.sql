-- DepositTransfersNew takes up transfers that came, but for those between addresses of the platform, and also those that are gone,
-- for they may come back. Those that committed late are among the last ids, which are used up by what is seen again, too.
-- name: DepositTransfersNew :exec
insert into deposit_transfer (transfer_id, actor, at)
select t.id, 'chain', @now from chain_transfer t
where t.id > (select coalesce(max(o.transfer_id), 0) - 10000 from deposit_transfer o) and t.direction = 'in'
  and not exists (select from deposit_transfer o where o.transfer_id = t.id)
  and not exists (
    select from chain_transfer s where s.network = t.network and s.transaction_hash = t.transaction_hash and s.log_index = t.log_index
      and s.direction = 'out')
on conflict do nothing;

-- DepositTransferAmounts are the amounts of transfers that are for no deposit since a time, of the newest; crumbs come last.
-- name: DepositTransferAmounts :many
select distinct trunc(t.amount, 8)::numeric as amount from chain_transfer t
where t.state in ('seen', 'final') and t.id in (
    select n.transfer_id from (
        select d.transfer_id, d.at from deposit_transfer d where d.deposit_id is null order by d.transfer_id desc limit 20000
    ) n where n.at > @since::timestamptz)
order by 1 desc limit 10000;

-- DepositAmounts are those of some amounts for which pending deposits wait.
-- name: DepositAmounts :many
select distinct amount from deposit where status = 'pending' and amount = any(@amounts::numeric[]);

-- DepositTransfersFree are transfers that are for no deposit since a time, the newest first: all, or those of some amounts.
-- name: DepositTransfersFree :many
select t.id::bigint as id, t.network, t.transaction_hash, t.from_address, t.to_address, t.amount, t.state, t.seen_at,
    greatest(0, c.head_number - t.block_number + 1)::bigint as confirmations, k.deposit_id as named_by
from deposit_transfer d join chain_transfer t on t.id = d.transfer_id join chain_cursor c on c.network = t.network
left join deposit_claim k on k.network = t.network and k.transaction_hash = t.transaction_hash
where d.deposit_id is null and d.transfer_id < @before_id and t.state in ('seen', 'final') and d.at > @since::timestamptz
  and (sqlc.narg(amounts)::numeric[] is null or trunc(t.amount, 8) = any(sqlc.narg(amounts)::numeric[]))
order by d.transfer_id desc limit @page;

-- DepositTransfersNamed are transfers for no deposit, of transactions that merchants have named lately.
-- name: DepositTransfersNamed :many
select t.id::bigint as id, t.network, t.transaction_hash, t.to_address, t.amount, t.seen_at
from deposit_claim k join chain_transfer t on t.network = k.network and t.transaction_hash = k.transaction_hash and t.direction = 'in'
join deposit_transfer d on d.transfer_id = t.id
where k.at > @since and d.deposit_id is null and t.state in ('seen', 'final')
order by t.id desc limit @most;

-- DepositTransfersMatched are transfers for deposits, the newest first. One that has vanished has no confirmations.
-- name: DepositTransfersMatched :many
select t.id::bigint as id, t.network, t.transaction_hash, t.from_address, t.to_address, t.amount, t.state, t.seen_at,
    case when t.state in ('seen', 'final') then greatest(0, c.head_number - t.block_number + 1) else 0 end::bigint as confirmations,
    d.deposit_id, d.actor, d.credited, k.deposit_id as named_by
from deposit_transfer d join chain_transfer t on t.id = d.transfer_id join chain_cursor c on c.network = t.network
left join deposit_claim k on k.network = t.network and k.transaction_hash = t.transaction_hash
where d.deposit_id is not null and d.transfer_id < @before_id
order by d.transfer_id desc limit @page;

-- DepositTransfersOpen are transfers for deposits of which there is something to do: the deposit is decided, the transfer has vanished
-- or differs, or it is final and of at most so much, where nobody has to confirm it: it went to an address of those named.
-- name: DepositTransfersOpen :many
select d.transfer_id, d.merchant_id::bigint as merchant_id, d.deposit_id::bigint as deposit_id, d.actor, t.state
from deposit_transfer d join chain_transfer t on t.id = d.transfer_id
join deposit p on p.merchant_id = d.merchant_id and p.id = d.deposit_id
where d.deposit_id is not null and not d.done and (p.status <> 'pending' or t.state in ('gone', 'lost')
    or trunc(t.amount, 8) <> p.amount and (d.actor = 'chain' or d.actor like 'operator:%') or t.network <> p.network
    or t.state = 'final' and d.actor = 'chain' and p.amount <= sqlc.narg(confirmed)::numeric
      and p.network || ' ' || lower(p.address) = any(@addresses::text[]))
order by d.transfer_id limit 1000;

-- DepositTransfersOf are the transfers for deposits. One that has vanished has no confirmations.
-- name: DepositTransfersOf :many
select d.deposit_id::bigint as deposit_id, d.actor, d.credited, t.id::bigint as id, t.network, t.transaction_hash, t.from_address, t.to_address,
    t.amount, t.state, t.seen_at, t.block_number,
    case when t.state in ('seen', 'final') then greatest(0, c.head_number - t.block_number + 1) else 0 end::bigint as confirmations
from deposit_transfer d join chain_transfer t on t.id = d.transfer_id join chain_cursor c on c.network = t.network
where d.deposit_id = any(@deposit_ids::bigint[]);

-- name: DepositTransferFind :one
select d.deposit_id, t.network, t.transaction_hash, t.amount, t.state from deposit_transfer d join chain_transfer t on t.id = d.transfer_id
where d.transfer_id = @transfer_id;

-- DepositTransferLock locks a transfer for a deposit, and what the network says of it.
-- name: DepositTransferLock :one
select t.state, t.amount, t.network from deposit_transfer d join chain_transfer t on t.id = d.transfer_id
where d.transfer_id = @transfer_id and d.deposit_id = @deposit_id::bigint and not d.done for update;

-- name: DepositTransferAttach :execrows
update deposit_transfer set merchant_id = @merchant_id, deposit_id = @deposit_id, actor = @actor, at = @now
where transfer_id = @transfer_id and deposit_id is null;

-- DepositTransferDetach leaves a transfer for no deposit. That it is no newer for that keeps what is decided late from going to
-- somebody else's deposit.
-- name: DepositTransferDetach :exec
update deposit_transfer set merchant_id = null, deposit_id = null, actor = 'chain'
where transfer_id = @transfer_id and deposit_id = @deposit_id::bigint and not done;

-- DepositTransferDone ends the matter. Credited is what was confirmed without an operator.
-- name: DepositTransferDone :exec
update deposit_transfer set done = true, credited = sqlc.narg(credited), credited_at = sqlc.narg(credited_at)
where transfer_id = @transfer_id and deposit_id = @deposit_id::bigint and not done;

-- name: DepositTransferCredited :one
select coalesce(sum(credited), 0)::numeric from deposit_transfer where credited is not null and credited_at > @since::timestamptz;

-- DepositsFitting are deposits that a transfer can be for: of its amount, to its address, requested before it was seen, and pending
-- or confirmed since a time.
-- name: DepositsFitting :many
(select o.merchant_id, o.id, o.status from deposit o
 where o.status = 'pending' and o.network = @network and o.amount = @amount and o.created_at <= @seen_at
   and lower(o.address) = lower(@address::text)
 order by o.id limit @most)
union all
(select d.merchant_id, d.id, d.status from deposit d
 where d.status = 'confirmed' and d.network = @network and d.amount = @amount and d.created_at <= @seen_at
   and lower(d.address) = lower(@address) and d.status_at >= @since
 order by d.status_at desc limit @most);

-- DepositTransfersBy is how many transfers to the platform a transaction brought.
-- name: DepositTransfersBy :one
select count(*) from chain_transfer where network = @network and transaction_hash = @transaction_hash and direction = 'in';

-- DepositTransactionTurn has whoever credits what a transaction brought, which a text names by 64 hexadecimal digits, come one after
-- another until the database's transaction ends. What it brought may come to be known meanwhile.
-- name: DepositTransactionTurn :exec
select pg_advisory_xact_lock(hashtextextended('credited by ' || substring(lower(@named::text) from '[0-9a-f]{64}'), 0));

-- DepositTransactionOverspent is whether a transaction that was seen, and whose turn it is, is the reference of more fundings of traders
-- than it brought transfers that are for no deposit. One that is for a deposit counts also when it has vanished, for it may come back.
-- name: DepositTransactionOverspent :one
select (count(*) > 0 and count(*) filter (where d.deposit_id is null) < (
    select count(*) from trader_funding f
    where f.amount > 0 and strpos(lower(f.reference), substring(lower(@named::text) from '[0-9a-f]{64}')) > 0))::boolean
from chain_transfer t join deposit_transfer d on d.transfer_id = t.id
where t.network in (select network from chain_cursor) and (t.state in ('seen', 'final') or d.deposit_id is not null) and t.transaction_hash in (
    substring(lower(@named::text) from '[0-9a-f]{64}'), '0x' || substring(lower(@named::text) from '[0-9a-f]{64}'));
