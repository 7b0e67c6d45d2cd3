-- What somebody invited ends when their own access is taken.

-- +goose Up
alter table invitation
    -- Who invited. Null: made before this was kept.
    add column invited_by bigint references app_user;
