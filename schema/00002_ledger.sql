-- Double entry in USDT. Entries are only ever added; a balance is its stored part plus what is still pending.

-- +goose Up
create table account (
    -- Computed from owner and purpose, so that the hot path needs no look-up: see ledger.Account.
    id bigint primary key,
    owner_kind text not null check (owner_kind in ('external', 'platform', 'cashbox', 'trader')),
    owner_id bigint not null,
    purpose text not null check (purpose in ('available', 'reserved')),
    balance numeric(28, 8) not null default 0,
    -- Set by a forced debit alone, cleared by the fold that finds the balance whole again.
    overdrawn boolean not null default false,
    unique (owner_kind, owner_id, purpose),
    -- The world outside owes us what came in: its account alone is negative by nature.
    constraint account_covered check (balance >= 0 or overdrawn or owner_kind = 'external')
);

create table transfer (
    id bigint generated always as identity primary key,
    kind text not null,
    -- What moved the money: 'payment' and its id, say.
    subject text not null,
    subject_id bigint not null,
    created_at timestamptz not null
);
create index transfer_subject_idx on transfer (subject_id, subject);
-- For the audit of what came lately.
create index transfer_created_idx on transfer using brin (created_at);

create table entry (
    account_id bigint not null,
    id bigint generated always as identity,
    transfer_id bigint not null,
    currency text not null default 'USDT',
    amount numeric(28, 8) not null check (amount between -1e20 and 1e20 and amount <> 0),
    primary key (account_id, id)
);
create index entry_transfer_idx on entry (transfer_id);

-- Credits not yet folded into account.balance.
create table account_pending (
    account_id bigint not null,
    id bigint generated always as identity,
    amount numeric(28, 8) not null,
    primary key (account_id, id)
);

-- +goose StatementBegin
create function entry_balanced() returns trigger language plpgsql as $$
begin
    if exists (select from legs group by transfer_id, currency having sum(amount) <> 0) then
        raise exception 'transfer out of balance' using errcode = 'check_violation', constraint = 'entry_balanced';
    end if;
    return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function append_only() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
-- +goose StatementEnd

create trigger entry_balanced after insert on entry
    referencing new table as legs for each statement execute function entry_balanced();
create trigger entry_append_only before update or delete or truncate on entry
    for each statement execute function append_only();
create trigger transfer_append_only before update or delete or truncate on transfer
    for each statement execute function append_only();
