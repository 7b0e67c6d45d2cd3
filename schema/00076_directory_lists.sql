-- Operators find traders' users.

-- +goose Up
create index app_user_trader_idx on app_user (trader_id, id) where trader_id is not null;
