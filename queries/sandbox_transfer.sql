-- SandboxChainTurn has transfers on a network sent one after another until the transaction ends.
-- name: SandboxChainTurn :exec
select pg_advisory_xact_lock(hashtextextended('sandbox chain ' || @network::text, 0));

-- SandboxChainHead is the last block of a network with a transfer, and for how many seconds it has been there. Both are 0 before the first.
-- name: SandboxChainHead :one
select coalesce(max(block_number), 0)::bigint as block_number,
    coalesce(extract(epoch from clock_timestamp() - max(sent_at)), 0)::float8 as seconds
from sandbox_transfer where network = @network;

-- SandboxChainRead tells whether a network has been read up to a block.
-- name: SandboxChainRead :one
select exists (select from chain_cursor where network = @network and head_number = @head and trouble is null);

-- SandboxTransferInsert sends a transfer. No row: this transaction was sent before.
-- name: SandboxTransferInsert :execrows
insert into sandbox_transfer (network, block_number, transaction_hash, from_address, to_address, amount, sent_at)
values (@network, @block_number, @transaction_hash, @from_address, @to_address, @amount, clock_timestamp())
on conflict (network, transaction_hash) do nothing;

-- name: SandboxTransferList :many
select * from sandbox_transfer where network = @network and block_number between @from_block and @to_block order by block_number;

-- SandboxReceiving is the address of the platform that pays by a network.
-- name: SandboxReceiving :one
select address from receiving_address where network = @network and present and address <> '';

-- SandboxTransferLatest lists the latest transfers of all networks, each with the newest block that was read.
-- name: SandboxTransferLatest :many
select t.network, t.transaction_hash, t.from_address, t.to_address, t.amount, t.sent_at,
    greatest(0, coalesce(c.head_number, 0) - t.block_number + 1)::bigint as confirmations
from sandbox_transfer t left join chain_cursor c on c.network = t.network
order by t.sent_at desc limit @page;
