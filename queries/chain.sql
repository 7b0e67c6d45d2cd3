-- ChainLease gives the reading of a network to one process for a while, by the time of the database. No row: another one has it.
-- A network that was never read has no hash.
-- name: ChainLease :one
insert into chain_cursor as c (network, start_number, block_number, block_hash, head_number, holder, leased_until)
values (@network, 0, 0, '', 0, @holder::uuid, now() + make_interval(secs => @seconds))
on conflict (network) do update set holder = excluded.holder, leased_until = excluded.leased_until
where c.holder = excluded.holder or c.leased_until <= now()
returning *;

-- ChainStart begins a network after a block, if nobody has.
-- name: ChainStart :exec
update chain_cursor set start_number = @block_number, block_number = @block_number, block_hash = @block_hash,
    head_number = @block_number, version = version + 1
where network = @network and version = @version;

-- ChainMove moves a network's cursor on or back, if nobody has moved it since it was read.
-- name: ChainMove :execrows
update chain_cursor set block_number = @block_number, block_hash = @block_hash, head_number = @head_number,
    version = version + 1, trouble = null, trouble_since = null
where network = @network and version = @version;

-- name: ChainTrouble :exec
update chain_cursor set trouble = @trouble, trouble_since = coalesce(trouble_since, @now) where network = @network;

-- ChainForget forgets troubles of networks that are read no longer.
-- name: ChainForget :exec
update chain_cursor set trouble = null, trouble_since = null
where network <> all(@networks::text[]) and trouble is not null;

-- name: ChainNodeSet :exec
insert into chain_node (network, host, head_number, trouble, asked_at)
values (@network, @host, @head_number, @trouble, @now)
on conflict (network, host) do update set head_number = excluded.head_number, trouble = excluded.trouble, asked_at = excluded.asked_at;

-- ChainNodesKeep forgets the nodes of a network that are asked no longer.
-- name: ChainNodesKeep :exec
delete from chain_node where network = @network and host <> all(@hosts::text[]);

-- name: ChainNodes :many
select * from chain_node where network = @network order by host;

-- ChainAddresses are the addresses that are or were the platform's by a network.
-- name: ChainAddresses :many
select address from receiving_address where network = @network and address <> '';

-- ChainSums add up what came to the platform's addresses and left them, for good, by each network. A transfer between two of them is in both.
-- name: ChainSums :many
select network, coalesce(sum(amount) filter (where direction = 'in'), 0)::numeric as came,
    coalesce(sum(amount) filter (where direction = 'out'), 0)::numeric as went
from chain_transfer where state = 'final' and direction in ('in', 'out') group by network order by network;

-- ChainSee notes a transfer, or that it is in another block now. What is final stays so.
-- name: ChainSee :exec
insert into chain_transfer as t (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
    to_address, amount, state, seen_at, state_at)
values (@network, @transaction_hash, @log_index, @direction, @block_number, @block_hash, @from_address, @to_address, @amount,
    @state, @seen_at, @now)
on conflict (network, transaction_hash, log_index, direction) do update set block_number = excluded.block_number,
    block_hash = excluded.block_hash, from_address = excluded.from_address, to_address = excluded.to_address,
    amount = excluded.amount, state = excluded.state, state_at = excluded.state_at
where t.state <> 'final' and (t.state, t.block_hash) <> (excluded.state, excluded.block_hash);

-- ChainUnsee takes back what was seen in a span of blocks and is there no more. The arrays name what still is.
-- name: ChainUnsee :exec
update chain_transfer t set state = 'gone', state_at = @now
where t.network = @network and t.block_number > @after_number and t.block_number <= @to_number and t.state = 'seen'
  and (t.transaction_hash, t.log_index) not in (select unnest(@hashes::text[]), unnest(@places::integer[]));

-- ChainFinalBlocks are the blocks of final transfers, the newest first.
-- name: ChainFinalBlocks :many
select distinct block_number, block_hash from chain_transfer where network = @network and state = 'final'
order by block_number desc;

-- ChainTakeBack takes back all transfers above a block. What was final is lost.
-- name: ChainTakeBack :many
update chain_transfer set state = case state when 'final' then 'lost' else 'gone' end, state_at = @now
where network = @network and block_number > @after_number and state in ('seen', 'final')
returning state;
