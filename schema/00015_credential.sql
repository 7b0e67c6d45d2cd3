-- Keys that a merchant's portal lists and makes.

-- +goose Up
alter table api_key add constraint api_key_binding check (merchant_id is not null or cashbox_id is null);
comment on column api_key.merchant_id is
    'Null on legacy keys of the platform''s first generation: they prove who calls, and may do nothing until a merchant is set.';
comment on column api_key.cashbox_id is
    'Null on legacy keys of a merchant as a whole: each call goes to the first of its cashboxes that takes it.';
create index api_key_cashbox_idx on api_key (cashbox_id, id) where cashbox_id is not null;
create index api_key_legacy_idx on api_key (merchant_id, id) where cashbox_id is null;
