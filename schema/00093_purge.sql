-- What need not be kept for good is removed when its time has come. Each removal leaves a line in the log of settings.

-- +goose Up
alter table appeal add column file_purged_at timestamptz;
create index appeal_purge_idx on appeal (status_at) where file_purged_at is null and status in ('completed', 'failed', 'closed');

alter table payment_receipt add column purged_at timestamptz;
create index payment_receipt_purge_idx on payment_receipt (created_at) where purged_at is null;

-- Null once it is removed. The mask stays.
alter table payin alter column address drop not null;
create index payin_purge_idx on payin (status_at)
    where address is not null and status in ('completed', 'failed', 'cancelled', 'expired');
