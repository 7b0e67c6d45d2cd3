-- The networks of a sandbox, which exist there only.

-- +goose Up

-- A transfer of USDT, which is in a block of its own.
create table sandbox_transfer (
    network text not null,
    block_number bigint not null,
    -- Without 0x.
    transaction_hash text not null,
    -- As the network writes them.
    from_address text not null,
    to_address text not null,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999),
    -- By the time of the database, as blocks come by it.
    sent_at timestamptz not null,
    primary key (network, block_number)
);
create unique index sandbox_transfer_hash_idx on sandbox_transfer (network, transaction_hash);
create index sandbox_transfer_sent_idx on sandbox_transfer (sent_at);
