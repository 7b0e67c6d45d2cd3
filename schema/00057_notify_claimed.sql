-- +goose NO TRANSACTION
-- Payments whose payer said lately that they have paid. A creation does not write this.

-- +goose Up
set lock_timeout = 0;
drop index concurrently if exists payment_claimed_idx;
create index concurrently payment_claimed_idx on payment (payer_claimed_at) where payer_claimed_at is not null and status = 'pending';
