-- How many payments of a merchant may be pending at the same time: its unpaid payments occupy everybody's requisites.

-- +goose Up
alter table merchant add column max_open_payments integer not null default 5000
    check (max_open_payments between 1 and 50000);

create index payment_open_idx on payment (merchant_id) where status = 'pending';
