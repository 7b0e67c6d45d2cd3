-- What an operator has settled does not hide that the same attempt and its payment disagree once more.

-- +goose Up
alter table card_conflict drop constraint card_conflict_merchant_id_attempt_id_key;
create unique index card_conflict_attempt_idx on card_conflict (merchant_id, attempt_id) where closed_at is null;
