-- The sealed days of the ledger: which transfers belong to each, the root of their hash tree, and the signed page of it.

-- +goose Up

-- What a day's page is made of, decided once, before the first transfer is read: whoever goes on with a day that another process
-- began comes to the same page.
create table ledger_seal (
    day date primary key,
    -- No transaction can commit a transfer of this id or a lower one any more. The day's page has the transfers up to it that were
    -- made before the day's end and are on no earlier page.
    last_id bigint not null,
    -- Every account in a leaf is hidden with a number derived from this, so that a proof can show one of them and not the other. Who
    -- may read this table may read the transfers, so it is not sealed itself, but it never leaves the database.
    salt bytea not null check (length(salt) = 32)
);

-- The roots of the parts of a day's tree, 1024 transfers each: a proof reads one part and not the whole day.
create table ledger_part (
    day date not null references ledger_seal (day),
    number integer not null,
    first_id bigint not null,
    last_id bigint not null,
    hash bytea not null check (length(hash) = 32),
    primary key (day, number)
);

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

create trigger ledger_seal_append_only before update or delete or truncate on ledger_seal
    for each statement execute function append_only();
create trigger ledger_part_append_only before update or delete or truncate on ledger_part
    for each statement execute function append_only();
create trigger ledger_page_append_only before update or delete or truncate on ledger_page
    for each statement execute function append_only();

-- One row: until when one process seals, so that the others do not read the same days. Two that seal at once come to the same.
create table ledger_sealer (
    only_row boolean primary key default true check (only_row),
    until timestamptz not null
);
insert into ledger_sealer (until) values ('epoch');
