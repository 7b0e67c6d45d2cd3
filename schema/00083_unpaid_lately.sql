-- +goose NO TRANSACTION
-- What ended unpaid a moment ago, so that a transfer to it that comes late is not taken for the next payer's.

-- +goose Up
set lock_timeout = 0;

-- A trader's payments by phone, card or account in the order in which they ended unpaid.
drop index concurrently if exists payment_unpaid_idx;
create index concurrently payment_unpaid_idx on payment (trader_id, status_at)
    where status in ('failed', 'cancelled') and requisite_type is not null;
