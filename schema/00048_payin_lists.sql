-- +goose Up

-- Lists by status do not read what is in another.
create index payin_merchant_status_idx on payin (merchant_id, status, id);
create index payin_trader_status_idx on payin (trader_id, status, id) where trader_id is not null;
-- The one with his payouts in processing is a part of it.
drop index payin_processing_idx;
