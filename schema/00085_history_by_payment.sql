-- +goose Up
-- The id of a history row is given by its sequence, so nothing is lost when the index no longer proves that it is
-- unique: a table that is distributed by merchant can have no unique index without the merchant.
drop index payment_history_id_idx;
create index payment_history_id_idx on payment_history (id);
