-- The ledger in USDT: accounts, what each has, and transfers between them, which are only ever added. What an account has is its
-- balance and what is still pending.

-- +goose Up

-- Who has something, and what for. Every owner has two accounts.
create table account (
    -- Computed from owner and purpose, so that the hot path needs no look-up: see ledger.Account. Without its last bit it tells
    -- the owner, and the last bit what is available, 0, from what is reserved, 1.
    id bigint primary key,
    owner_kind text not null check (owner_kind in ('external', 'platform', 'cashbox', 'trader')),
    owner_id bigint not null,
    purpose text not null check (purpose in ('available', 'reserved')),
    unique (owner_kind, owner_id, purpose)
);
insert into account (id, owner_kind, owner_id, purpose) values
    (0, 'external', 0, 'available'), (1, 'external', 0, 'reserved'),
    (2, 'platform', 0, 'available'), (3, 'platform', 0, 'reserved');

-- What an account has, apart from whose it is. A trader's balance changes with every payment of theirs, and until a vacuum comes
-- the database reads through all the versions a row has had; while somebody keeps an old snapshot open, a dump say, none comes. So
-- each change raises the version, by which the index leads to the newest at once.
create table account_balance (
    account_id bigint not null,
    version bigint not null default 0,
    balance numeric(28, 8) not null default 0,
    -- Set by a forced debit alone, cleared by the fold that finds the balance whole again.
    overdrawn boolean not null default false,
    primary key (account_id, version),
    -- Account 0 is the world outside, which owes us what came in: it alone is negative by nature.
    constraint account_covered check (balance >= 0 or overdrawn or account_id = 0)
);
insert into account_balance (account_id) values (0), (1), (2), (3);
create index account_balance_overdrawn_idx on account_balance (account_id) where overdrawn;

-- A credit that is not folded into its account's balance yet.
create table account_pending (
    account_id bigint not null,
    id bigint generated always as identity,
    amount numeric(28, 8) not null,
    primary key (account_id, id)
);

-- How far an account's pending rows are folded into its balance. A fold deletes them, but while somebody's snapshot is open they
-- are still passed by: so it begins after those that are known to be gone.
create table account_fold (
    account_id bigint primary key,
    -- Pending rows up to this id are gone, but for those of a transaction that wrote for longer than a minute.
    done_to bigint not null default 0,
    -- Up to here they were gone when that was noted; after a minute, all that had an id by then are.
    noted_to bigint not null default 0,
    noted_at timestamptz not null
);

-- A movement: what one account is debited, another is credited, so that it is in balance by its form. Like the other tables that
-- only grow, it has a partition for each month, which internal/db/month.go makes. A partition has keys of its own, since a key of
-- the whole table would have to contain the time. Ids come from a sequence: an identity column cannot be shared by partitions.
create sequence transfer_id_seq;
create table transfer (
    -- Only tells the order of a subject's transfers.
    id bigint not null default nextval('transfer_id_seq'),
    -- The amount goes from the debited account to the credited one.
    debit_account bigint not null,
    credit_account bigint not null,
    amount numeric(28, 8) not null,
    kind text not null,
    -- What moved the money: 'payment' and its id, say.
    subject text not null,
    subject_id bigint not null,
    created_at timestamptz not null,
    constraint transfer_accounts check (debit_account <> credit_account),
    constraint transfer_amount check (amount >= 0.00000001 and amount <= 100000000000000000000)
) partition by range (created_at);
alter sequence transfer_id_seq owned by transfer.id;
-- Every movement of money writes the indexes. This one, of a few bytes for many rows, finds what was moved lately.
create index transfer_created_idx on transfer using brin (created_at);
-- The audit goes through transfers in the order they were made.
create index transfer_id_idx on transfer (id);
-- Statements of an owner. A transfer between two accounts of one owner, such as each hold, stands in the first of these only, so
-- that it costs a creation one entry.
create index transfer_debit_idx on transfer ((debit_account >> 1), created_at, id);
create index transfer_credit_idx on transfer ((credit_account >> 1), created_at, id)
    where (debit_account >> 1) <> (credit_account >> 1);
create trigger transfer_append_only before update or delete or truncate on transfer
    for each statement execute function append_only();

-- What is in no month that has a partition, because its clock was ahead. Months to come are made like this one.
create table transfer_other partition of transfer (primary key (subject_id, id)) default;
create trigger transfer_other_append_only before update or delete or truncate on transfer_other
    for each statement execute function append_only();
-- What was before the months that have partitions of their own, up to the end of next month.
-- +goose StatementBegin
do $$
begin
    execute format('create table transfer_first partition of transfer (primary key (subject_id, id))
        for values from (minvalue) to (%L)', date_trunc('month', now(), 'UTC') + interval '2 months');
end $$;
-- +goose StatementEnd
create trigger transfer_append_only before update or delete or truncate on transfer_first
    for each statement execute function append_only();

-- What an account had at the end of a day, in UTC, on which something was moved to or from it.
create table account_day (
    id bigint generated always as identity,
    account_id bigint not null,
    day date not null,
    balance numeric(28, 8) not null,
    primary key (account_id, day)
);
-- The audit goes through them in the order they were made.
create index account_day_id_idx on account_day (id);

-- One row: the last day that is closed. Every movement before its end is in account_day. A job closes the days one by one, those
-- that are long over, too.
create table account_day_closed (
    only_row boolean primary key default true check (only_row),
    day date not null
);

-- USDT that a trader brought in or took out.
create table trader_funding (
    id bigint generated always as identity primary key,
    -- What names the movement outside, such as a transaction's hash: nothing is moved twice under one.
    reference text not null unique,
    trader_id bigint not null references trader,
    -- What the trader gained: less than 0 where it was withdrawn.
    amount numeric(28, 8) not null check (amount between -999999999999.99999999 and 999999999999.99999999 and amount <> 0),
    created_at timestamptz not null
);
create trigger trader_funding_append_only before update or delete or truncate on trader_funding
    for each statement execute function append_only();

-- A transfer between two accounts by hand, by which books are put right. Only available money: what is reserved is what is open.
create table correction (
    id bigint generated always as identity primary key,
    -- Nothing is moved twice under one reference.
    reference text not null unique,
    debit_account bigint not null references account,
    credit_account bigint not null references account,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999),
    reason text not null check (length(reason) between 1 and 500),
    created_at timestamptz not null,
    constraint correction_accounts check (debit_account <> credit_account and debit_account & 1 = 0 and credit_account & 1 = 0)
);
create trigger correction_append_only before update or delete or truncate on correction
    for each statement execute function append_only();
