-- Payers who may not pay here: by the merchant's user id, by card, by address, or by the requisite that payouts go to.

-- +goose Up
create table payer_block (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('user', 'card', 'address', 'requisite')),
    -- What is compared: the kind, a colon, and the user id or address itself, or the keyed hash of a card or requisite.
    mark text not null check (mark like kind || ':%'),
    -- What people see of it: all, or of a card or requisite the last four characters.
    shown text not null,
    -- Where it holds; null: at all merchants.
    merchant_id bigint references merchant,
    -- The merchant's own users made it, who see and end such alone.
    own boolean not null check (not own or merchant_id is not null),
    reason text not null,
    -- When it ends by itself; null: never.
    until timestamptz,
    created_at timestamptz not null,
    created_by text not null,
    -- Who lifted it, when and why; null: nobody has.
    ended_at timestamptz,
    ended_by text,
    ended_reason text,
    version bigint not null default 1,
    check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (ended_reason is null)),
    constraint payer_block_mark unique nulls not distinct (mark, merchant_id, own)
);
create index payer_block_version_idx on payer_block (version);
create index payer_block_merchant_idx on payer_block (merchant_id, id);
create trigger setting_changes before insert or update on payer_block for each statement execute function setting_changes();
create trigger setting_row_changes before insert or update on payer_block for each row execute function setting_row_changes();
