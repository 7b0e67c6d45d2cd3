-- What moved on the networks to and from the platform's addresses.

-- +goose Up

-- A transfer of USDT. One between two addresses of the platform is there twice, once each way.
create table chain_transfer (
    id bigint generated always as identity,
    network text not null check (network in ('TRC20', 'ERC20', 'BEP20', 'POLYGON', 'ARBITRUM')),
    -- As the network's explorers write it: with 0x, but for Tron's.
    transaction_hash text not null,
    -- The place among the logs of its transaction, which stays when the transaction is put into another block.
    log_index integer not null check (log_index >= 0),
    direction text not null check (direction in ('in', 'out')),
    block_number bigint not null,
    block_hash text not null,
    -- As the network writes them, with their checksums.
    from_address text not null,
    to_address text not null,
    -- In USDT. A contract has up to 18 decimals.
    amount numeric(38, 18) not null check (amount between 0.000000000000000001 and 99999999999999999999),
    -- Seen in a block; final, with as many blocks above it as its network needs; gone from its block before it was final; lost
    -- after it was.
    state text not null check (state in ('seen', 'final', 'gone', 'lost')),
    seen_at timestamptz not null,
    state_at timestamptz not null,
    primary key (network, transaction_hash, log_index, direction)
);
create unique index chain_transfer_id_idx on chain_transfer (id);
-- What a block that is no longer there had.
create index chain_transfer_block_idx on chain_transfer (network, block_number);
-- Each is an alarm.
create index chain_transfer_lost_idx on chain_transfer (id) where state = 'lost';

-- How far a network is read. Up to the block, all is final.
create table chain_cursor (
    network text primary key,
    -- The block before the first that is looked at.
    start_number bigint not null,
    block_number bigint not null check (block_number >= start_number),
    block_hash text not null,
    -- The newest block that the nodes agree on.
    head_number bigint not null,
    -- Raised by every change: what was read before another one is not written.
    version bigint not null default 0,
    -- The process that reads the network, and until when another leaves it to that one.
    holder uuid,
    leased_until timestamptz not null,
    -- Since when it has not come further, and why; null where nothing is wrong.
    trouble_since timestamptz,
    trouble text
);

-- What each node said when it was last asked.
create table chain_node (
    network text not null,
    -- Its name alone: the rest of the address can be a secret.
    host text not null,
    head_number bigint not null,
    -- '': it agrees with the others.
    trouble text not null,
    asked_at timestamptz not null,
    primary key (network, host)
);
