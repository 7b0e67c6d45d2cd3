-- +goose Up
-- A search for a card finds the payments by its last digits, whichever shards they are on.
create index payment_card_last4_idx on payment_card (last4, payment_id);
