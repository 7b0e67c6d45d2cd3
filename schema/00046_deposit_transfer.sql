-- +goose NO TRANSACTION
-- Which deposit a transfer that came is for.

-- +goose Up
set lock_timeout = 0;

-- A transfer to the platform. It is for one deposit, and a deposit has one.
create table if not exists deposit_transfer (
    -- Its id in chain_transfer.
    transfer_id bigint primary key,
    -- Null: it is for none yet.
    merchant_id bigint,
    deposit_id bigint constraint deposit_transfer_deposit unique,
    -- Who says so: 'chain', where it alone fits, or 'operator:1'.
    actor text not null,
    at timestamptz not null,
    -- The deposit is confirmed: nothing is to be done any more.
    done boolean not null default false,
    -- What was confirmed without an operator, and when.
    credited numeric(28, 8),
    credited_at timestamptz,
    constraint deposit_transfer_whole check ((merchant_id is null) = (deposit_id is null) and (deposit_id is not null or not done)
        and (credited is null) = (credited_at is null) and (credited is null or done))
);
drop index concurrently if exists deposit_transfer_free_idx;
create index concurrently deposit_transfer_free_idx on deposit_transfer (transfer_id) where deposit_id is null;
drop index concurrently if exists deposit_transfer_open_idx;
create index concurrently deposit_transfer_open_idx on deposit_transfer (transfer_id) where deposit_id is not null and not done;
drop index concurrently if exists deposit_transfer_credited_idx;
create index concurrently deposit_transfer_credited_idx on deposit_transfer (credited_at) where credited is not null;

-- What a transfer could be for.
drop index concurrently if exists deposit_amount_idx;
create index concurrently deposit_amount_idx on deposit (network, amount) where status = 'pending';
