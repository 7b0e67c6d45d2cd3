-- +goose NO TRANSACTION
-- A transaction that was named for a withdrawal that has failed pays another one, if any.

-- +goose Up
set lock_timeout = 0;

-- One transaction pays one withdrawal.
drop index concurrently if exists withdrawal_pays_idx;
create unique index concurrently withdrawal_pays_idx on withdrawal (network, transaction_hash)
    where transaction_hash is not null and status <> 'failed';
drop index concurrently if exists withdrawal_hash_idx;
