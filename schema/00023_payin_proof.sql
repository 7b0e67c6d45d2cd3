-- What a trader sends to show that they have paid a payout.

-- +goose Up
-- A file beside the proof's reference: at most one a payout, sent as it is completed.
create table payin_proof (
    merchant_id bigint not null,
    payin_id bigint not null,
    -- As the trader's phone named it: text to show, never a path to open.
    file_name text not null,
    -- The media type found in the content.
    file_type text not null,
    -- In bytes.
    file_size bigint not null check (file_size > 0),
    created_at timestamptz not null,
    -- When the file was removed; null: it is there.
    purged_at timestamptz,
    primary key (merchant_id, payin_id)
);
create index payin_proof_purge_idx on payin_proof (created_at) where purged_at is null;

-- A piece of the file.
create table payin_proof_chunk (
    merchant_id bigint not null,
    payin_id bigint not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (merchant_id, payin_id, number)
);
alter table payin_proof_chunk alter column content set storage external;
