-- Appeals of failed payments, and the lists payers and merchants ask for.

-- +goose Up
create table appeal (
    merchant_id bigint not null,
    -- One a payment, for good.
    payment_id bigint not null,
    id bigint not null generated always as identity,
    reason text not null,
    -- As the merchant sent it: text to show, never a path to open.
    file_name text not null,
    -- The media type found in the content.
    file_type text not null,
    file_size bigint not null check (file_size > 0),
    -- Follows the payment's: in_review while that is appeal, then what it became. closed: the payment went elsewhere.
    status text not null check (status in ('open', 'in_review', 'completed', 'failed', 'closed')),
    status_at timestamptz not null,
    -- Who opened it: 'key:12'.
    actor text not null,
    created_at timestamptz not null,
    primary key (merchant_id, payment_id)
);
create index appeal_id_idx on appeal (id);
create index appeal_status_idx on appeal (status, id);

-- The file, in pieces, so that no row grows with it.
create table appeal_chunk (
    merchant_id bigint not null,
    payment_id bigint not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (merchant_id, payment_id, number)
);
-- Pictures and films are compressed already.
alter table appeal_chunk alter column content set storage external;

-- A payer's payments, newest first. Payments without a payer cost it nothing.
create index payment_payer_idx on payment (payer_user_id, id) where payer_user_id is not null;
