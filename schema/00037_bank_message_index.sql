-- What the trial of messages is counted by, and which phones may send.

-- +goose NO TRANSACTION

-- +goose Up
set lock_timeout = 0;
drop index concurrently if exists bank_message_shadow_idx;
create index concurrently bank_message_shadow_idx on bank_message (trader_id, id) where why = 'shadow';
drop index concurrently if exists bank_device_paired_idx;
create index concurrently bank_device_paired_idx on bank_device (id) where revoked_at is null;
