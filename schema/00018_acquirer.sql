-- Acquirers: which one a trader's card payments go to, and the book of the sandbox's.

-- +goose Up
-- A trader without a row takes no cards outside a sandbox.
create table trader_acquirer (
    trader_id bigint primary key references trader,
    url text not null,
    key_id text not null,
    -- Sealed; associated data: trader_acquirer, secret, trader_id.
    secret bytea not null
);

-- What the sandbox's acquirer knows: no card, only how it will end.
create table sandbox_acquirer (
    attempt_id uuid primary key,
    currency text not null,
    amount numeric(14, 2) not null,
    -- What the card stands for; tombstone: voided before it was ever heard of.
    script text not null check (script in ('approve', 'code', 'card_declined', 'insufficient_funds', 'desk', 'tombstone')),
    -- Until then it is still thinking.
    answers_at timestamptz not null,
    codes integer not null default 0,
    code_right boolean not null default false,
    resends integer not null default 0,
    voided boolean not null default false
);
