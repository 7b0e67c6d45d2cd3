-- Appeals of failed payments, and the receipts that payers send of their transfers.

-- +goose Up

-- A merchant's appeal of a payment.
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
    -- In bytes.
    file_size bigint not null check (file_size > 0),
    -- Follows the payment's: in_review while that is appeal, then what it became. closed: the payment went elsewhere.
    status text not null check (status in ('open', 'in_review', 'completed', 'failed', 'closed')),
    status_at timestamptz not null,
    -- Who opened it: 'key:12'.
    actor text not null,
    created_at timestamptz not null,
    -- When the file was removed; null: it is there.
    file_purged_at timestamptz,
    primary key (merchant_id, payment_id)
);
create index appeal_id_idx on appeal (id);
create index appeal_status_idx on appeal (status, id);
-- Lists of a merchant's own appeals, the newest first.
create index appeal_merchant_idx on appeal (merchant_id, id);
create index appeal_waiting_idx on appeal (id) where status in ('open', 'in_review');
create index appeal_purge_idx on appeal (status_at) where file_purged_at is null and status in ('completed', 'failed', 'closed');

-- A piece of an appeal's file, so that no row grows with it.
create table appeal_chunk (
    merchant_id bigint not null,
    payment_id bigint not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (merchant_id, payment_id, number)
);
-- Pictures and films are compressed already.
alter table appeal_chunk alter column content set storage external;

-- A receipt that a payer sent of their transfer: up to three a payment.
create table payment_receipt (
    merchant_id bigint not null,
    payment_id bigint not null,
    number smallint not null check (number between 1 and 3),
    -- As the payer's phone named it: text to show, never a path to open.
    file_name text not null,
    -- The media type found in the content.
    file_type text not null,
    -- In bytes.
    file_size bigint not null check (file_size > 0),
    created_at timestamptz not null,
    -- When the file was removed; null: it is there.
    purged_at timestamptz,
    primary key (merchant_id, payment_id, number)
);
create index payment_receipt_purge_idx on payment_receipt (created_at) where purged_at is null;

-- A piece of a receipt's file.
create table payment_receipt_chunk (
    merchant_id bigint not null,
    payment_id bigint not null,
    receipt smallint not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (merchant_id, payment_id, receipt, number)
);
alter table payment_receipt_chunk alter column content set storage external;
