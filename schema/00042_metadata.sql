-- What merchants note on payments, payouts and deposits in words of their own.

-- +goose Up
alter table payment add column metadata jsonb;
alter table payin add column metadata jsonb;
alter table deposit add column metadata jsonb;

-- The pairs of those that have any, by which they are found. What has none writes nothing here.
create table metadata_pair (
    merchant_id bigint not null,
    subject text not null check (subject in ('payment', 'payin', 'deposit')),
    -- The beginning of a hash of key and value, so that a long value makes no wide index.
    pair uuid not null,
    subject_id bigint not null,
    primary key (merchant_id, subject, pair, subject_id)
);
