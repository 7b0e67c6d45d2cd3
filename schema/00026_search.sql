-- +goose NO TRANSACTION
-- Order ids and the references of deposits are found by how they begin, in whatever case.

-- +goose Up
set lock_timeout = 0;
drop index concurrently if exists payment_key_begins_idx;
create index concurrently payment_key_begins_idx on payment_key (merchant_id, lower(order_id) text_pattern_ops);
drop index concurrently if exists payin_key_begins_idx;
create index concurrently payin_key_begins_idx on payin_key (merchant_id, lower(order_id) text_pattern_ops);
drop index concurrently if exists deposit_begins_idx;
create index concurrently deposit_begins_idx on deposit (lower(external_reference) text_pattern_ops)
    where external_reference is not null;
