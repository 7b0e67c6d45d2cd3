-- +goose NO TRANSACTION
-- What was paid or credited by hand, so that what comes late is not taken for the next payer's.

-- +goose Up
set lock_timeout = 0;

-- A trader's payments by phone, card or account in the order in which they were completed.
drop index concurrently if exists payment_completed_idx;
create index concurrently payment_completed_idx on payment (trader_id, status_at) where status = 'completed' and requisite_type is not null;

-- Confirmed deposits, by what a transfer to them has.
drop index concurrently if exists deposit_confirmed_idx;
create index concurrently deposit_confirmed_idx on deposit (network, amount, status_at) where status = 'confirmed';
