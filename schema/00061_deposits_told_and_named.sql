-- +goose NO TRANSACTION
-- Where a cashbox's merchant is told of its deposits, and the transactions that merchants name for them.

-- +goose Up

-- Where events of the cashbox's deposits go; null: none are made.
alter table cashbox add column if not exists deposit_callback_uri text;

-- The transaction by which a merchant says that the USDT of a deposit come. It is one deposit's, until that is rejected.
create table if not exists deposit_claim (
    network text not null,
    -- As the network's explorers write it.
    transaction_hash text not null,
    merchant_id bigint not null,
    deposit_id bigint not null constraint deposit_claim_deposit unique,
    -- Who says so: 'key:12', 'merchant_portal:3'.
    actor text not null,
    at timestamptz not null,
    primary key (network, transaction_hash)
);
-- What was named lately, for which transfers are looked for.
drop index concurrently if exists deposit_claim_at_idx;
create index concurrently deposit_claim_at_idx on deposit_claim (at);

-- What came for deposits, as operators list it.
set lock_timeout = 0;
drop index concurrently if exists deposit_transfer_matched_idx;
create index concurrently deposit_transfer_matched_idx on deposit_transfer (transfer_id) where deposit_id is not null;
