-- Replaced webhook secrets have had a table of their own since 28, and nothing reads or writes where the last one stood before.

-- +goose Up
alter table cashbox drop column webhook_secret_previous, drop column webhook_secret_previous_until;
