-- Whose payments a cabinet user sees. A player's id is the merchant's own: two merchants may well have a player "1".

-- +goose Up
create table cabinet_merchant (
    user_id bigint not null references app_user,
    merchant_id bigint not null references merchant,
    primary key (user_id, merchant_id)
);

-- A sandbox's player is one of all its merchants.
insert into cabinet_merchant (user_id, merchant_id)
select u.id, m.id from app_user u cross join merchant m where u.kind = 'cabinet' and exists (select from test_clock);

-- A payer's payments with one merchant, newest first. It takes the place of the index without the merchant.
create index payment_player_idx on payment (payer_user_id, merchant_id, id) where payer_user_id is not null;
drop index payment_payer_idx;
