-- Deposits: requests to bring USDT into a cashbox.

-- +goose Up
create sequence deposit_id_seq;

-- A deposit. An operator confirms or rejects it.
create table deposit (
    merchant_id bigint not null,
    id bigint not null default nextval('deposit_id_seq'),
    cashbox_id bigint not null,
    status text not null default 'pending' check (status in ('pending', 'confirmed', 'rejected')),
    -- In USDT.
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999),
    network text not null check (network in ('TRC20', 'ERC20', 'BEP20', 'POLYGON', 'ARBITRUM')),
    address text not null,
    external_reference text,
    idempotency_key uuid not null,
    created_at timestamptz not null,
    status_at timestamptz not null,
    primary key (merchant_id, id),
    unique (merchant_id, idempotency_key)
);
create index deposit_id_idx on deposit (id);
create index deposit_status_idx on deposit (status, id);
-- Alarms ask for what has waited too long, once a minute.
create index deposit_waiting_idx on deposit (created_at) where status = 'pending';

-- A change of a deposit's status, the first of which is its creation.
create table deposit_history (
    merchant_id bigint not null,
    deposit_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'key:12', 'operator:1'.
    actor text not null,
    -- Null at the creation.
    from_status text,
    to_status text not null,
    reason text,
    primary key (merchant_id, deposit_id, id)
);
create trigger deposit_history_append_only before update or delete or truncate on deposit_history
    for each statement execute function append_only();
