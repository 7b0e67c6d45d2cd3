-- Why a setting was changed, where whoever changed it has said so.

-- +goose Up
alter table setting_change add column reason text;
