-- Where a cashbox's merchant is told of its deposits.

-- +goose Up

-- Where events of the cashbox's deposits go; null: none are made.
alter table cashbox add column deposit_callback_uri text;
