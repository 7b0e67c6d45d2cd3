-- +goose Up

-- Receipts that a payer sends of their transfer: up to three a payment.
create table payment_receipt (
    merchant_id bigint not null,
    payment_id bigint not null,
    number smallint not null check (number between 1 and 3),
    -- As the payer's phone named it: text to show, never a path to open.
    file_name text not null,
    -- The media type found in the content.
    file_type text not null,
    file_size bigint not null check (file_size > 0),
    created_at timestamptz not null,
    primary key (merchant_id, payment_id, number)
);

-- Their files, in pieces, so that no row grows with them.
create table payment_receipt_chunk (
    merchant_id bigint not null,
    payment_id bigint not null,
    receipt smallint not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (merchant_id, payment_id, receipt, number)
);
-- Pictures are compressed already.
alter table payment_receipt_chunk alter column content set storage external;
