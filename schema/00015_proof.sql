-- What proves that the books are right: audits, alarms, and the sealed days of the ledger.

-- +goose Up

-- An audit that runs by itself: one process at a time makes each, and notes how far it has come, for whoever goes on with it.
create table audit_run (
    scope text primary key check (scope in ('recent', 'full')),
    began_at timestamptz not null default 'epoch',
    -- When the last audit began that came to its end, and how many violations it found: all that was booked before is proven.
    proven_at timestamptz not null default 'epoch',
    violations bigint not null default 0,
    -- When it last came further, the rule it is at, up to which id that is proven, and what was found so far.
    seen_at timestamptz not null default 'epoch',
    rule text not null default '',
    past bigint not null default 0,
    found bigint not null default 0,
    rows_read bigint not null default 0
);
-- Nothing was booked yet that the recent one would have to go through; the full one is due.
insert into audit_run (scope, proven_at) values ('recent', now()), ('full', 'epoch');

-- An audit that came to its end, what it found, and how much it went through.
create table audit_history (
    scope text not null check (scope in ('recent', 'full')),
    began_at timestamptz not null,
    ended_at timestamptz not null,
    rows_read bigint not null,
    violations bigint not null,
    primary key (scope, began_at)
);
create index audit_history_broken_idx on audit_history (began_at) where violations > 0;

-- What an audit found, as it finds it: also one that has not come to its end yet.
create table audit_violation (
    id bigint generated always as identity primary key,
    scope text not null,
    began_at timestamptz not null,
    rule text not null,
    detail text not null
);
create index audit_violation_run_idx on audit_violation (scope, began_at, id);

-- Since when an alarm fires or is quiet.
create table alarm_state (
    name text primary key,
    firing boolean not null,
    since timestamptz not null,
    checked_at timestamptz not null
);

-- A public key that signed documents can be proven with. It stays when the vault key it is derived from is gone.
create table signing_key (
    kid text primary key,
    public_key bytea not null check (length(public_key) = 32),
    created_at timestamptz not null
);

-- What the page of a day of the ledger is made of, decided once, before the first transfer is read: whoever goes on with a day that
-- another process began comes to the same page.
create table ledger_seal (
    day date primary key,
    -- No transaction can commit a transfer of this id or a lower one any more. The day's page has the transfers up to it that were
    -- made before the day's end and are on no earlier page.
    last_id bigint not null,
    -- Every account in a leaf is hidden with a number derived from this, so that a proof can show one of them and not the other. Who
    -- may read this table may read the transfers, so it is not sealed itself, but it never leaves the database.
    salt bytea not null check (length(salt) = 32)
);
create trigger ledger_seal_append_only before update or delete or truncate on ledger_seal
    for each statement execute function append_only();

-- The root of a part of a day's hash tree, 1024 transfers each: a proof reads one part and not the whole day.
create table ledger_part (
    day date not null references ledger_seal (day),
    number integer not null,
    first_id bigint not null,
    last_id bigint not null,
    hash bytea not null check (length(hash) = 32),
    primary key (day, number)
);
create trigger ledger_part_append_only before update or delete or truncate on ledger_part
    for each statement execute function append_only();

-- The signed page of a day.
create table ledger_page (
    day date primary key references ledger_seal (day),
    last_id bigint not null,
    transfers bigint not null,
    root bytea not null check (length(root) = 32),
    -- What was moved by each kind, and what each kind of owner had, with its hash.
    totals jsonb not null,
    totals_hash bytea not null check (length(totals_hash) = 32),
    -- The page of the day before, null and zeros on the first one.
    previous_day date check (previous_day = day - 1),
    previous_hash bytea not null check (length(previous_hash) = 32),
    sealed_at timestamptz not null,
    hash bytea not null check (length(hash) = 32),
    kid text not null,
    signature bytea not null check (length(signature) = 64),
    unique (day, hash),
    -- The pages are one chain without gaps.
    constraint ledger_page_chain foreign key (previous_day, previous_hash) references ledger_page (day, hash)
);
create unique index ledger_page_first_idx on ledger_page ((true)) where previous_day is null;
create trigger ledger_page_append_only before update or delete or truncate on ledger_page
    for each statement execute function append_only();

-- One row: until when one process seals, so that the others do not read the same days. Two that seal at once come to the same.
create table ledger_sealer (
    only_row boolean primary key default true check (only_row),
    until timestamptz not null
);
insert into ledger_sealer (until) values ('epoch');
