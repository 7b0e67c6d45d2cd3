-- +goose NO TRANSACTION
-- What came to and left the platform's addresses, added up for the reconciliation.

-- +goose Up
set lock_timeout = 0;
drop index concurrently if exists chain_transfer_sum_idx;
create index concurrently chain_transfer_sum_idx on chain_transfer (network, direction) include (amount) where state = 'final';
