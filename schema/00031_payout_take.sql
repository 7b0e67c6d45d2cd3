-- How many payouts a trader may have taken and not ended.

-- +goose Up
alter table trader add column max_open_payins integer not null default 20 check (max_open_payins between 0 and 1000);

-- What a trader has taken, and what operators look after.
create index payin_processing_idx on payin (trader_id, id) where status = 'processing';
