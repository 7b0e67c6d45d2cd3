-- +goose Up
-- A merchant's owner sees who is in their team, and what each of them changed.
create index app_user_merchant_idx on app_user (merchant_id, id) where merchant_id is not null;
create index setting_change_actor_idx on setting_change (actor, id);
