-- +goose NO TRANSACTION
-- A trader's open payments are found by trader and status, and those of one trader are quickly sorted. The index that had
-- them in the order of their end cost every creation a tenth of its insert, and 140 bytes of WAL.

-- +goose Up
set lock_timeout = 0;

drop index concurrently if exists payment_desk_idx;
