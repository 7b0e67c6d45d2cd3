-- Lists of a merchant's own appeals, the newest first.

-- +goose Up
create index appeal_merchant_idx on appeal (merchant_id, id);
