-- +goose NO TRANSACTION
-- Whether a withdrawal that is to be given back was paid is asked by where the transfer went, whichever transaction was named.

-- +goose Up
set lock_timeout = 0;

drop index concurrently if exists chain_transfer_to_idx;
create index concurrently chain_transfer_to_idx on chain_transfer (network, to_address) where direction <> 'in';
