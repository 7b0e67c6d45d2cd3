-- The program itself: its keys, where it serves from, and what a sandbox has besides.

-- +goose Up

-- A key of the environment that the data needs, so that a start without one of them is refused instead of failing call by call,
-- and so that replicas notice when their keys differ.
create table secret_key (
    -- A vault key seals, a link key signs the links of hosted pages.
    purpose text not null check (purpose in ('vault', 'link')),
    -- The first four bytes of the key's SHA-256, in hex. Of a vault key, these stand near the beginning of all it sealed.
    fingerprint text not null,
    -- When a process last ran with the key as its first, the one in use.
    seen_at timestamptz not null,
    primary key (purpose, fingerprint)
);

-- Everything sealed by the vault, with the key that opens it. The first byte is the format's version.
create view sealed_value as
select place, encode(substring(value from 2 for 4), 'hex') as fingerprint from (
    select 'cashbox.webhook_secret' as place, webhook_secret as value from cashbox
    union all select 'webhook_secret_previous.secret', secret from webhook_secret_previous
    union all select 'app_user.totp_secret', totp_secret from app_user
    union all select 'session.totp_pending', totp_pending from session
    union all select 'payin.address', address from payin
    union all select 'payment_card.pan', pan from payment_card
    union all select 'payment_card.expiry', expiry from payment_card
    union all select 'payment_card.holder', holder from payment_card
    union all select 'trader_acquirer.secret', secret from trader_acquirer
    union all select 'card_hash_key.key', key from card_hash_key
    union all select 'requisite.sealed', sealed from requisite
    union all select 'proposal.secrets', secrets from proposal
    union all select 'payment.requisite_sealed', requisite_sealed from payment
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;

-- One row: where the database is served from, so that a restored copy is noticed: it calls no processor, webhook or feed until
-- somebody has said that it may.
create table home (
    only_row boolean primary key default true check (only_row),
    -- PostgreSQL's own number of the cluster, the same on its standbys. Null: the server does not tell.
    cluster bigint,
    -- PostgreSQL's number of the database.
    database bigint not null,
    -- The public URL of the API.
    base_url text not null,
    since timestamptz not null
);

-- One row: when a process last served. Each writes it in the round that expires payments. A gap in it is an outage, whose minutes
-- open payments get back.
create table serving (
    singleton boolean primary key default true check (singleton),
    -- By the database's clock; null: never.
    at timestamptz
);
insert into serving (at) values (null);

-- The sandbox's test clock: one row, and only in a sandbox.
create table test_clock (
    singleton boolean primary key default true check (singleton),
    offset_seconds bigint not null check (offset_seconds >= 0),
    -- Which sandbox key this database was seeded with.
    seed_fingerprint text not null
);

-- What the sandbox's processor knows of an attempt: no card, only how it will end.
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

-- How the sandbox's simulated traders answer for the payments of a method.
create table simulation_play (
    method text primary key,
    -- Percentages of the method's payments. What is left to 100 is never answered, and expires.
    confirmed smallint not null check (confirmed between 0 and 100),
    wrong_amount smallint not null check (wrong_amount between 0 and 100),
    cancelled smallint not null check (cancelled between 0 and 100),
    -- The answer comes so many seconds after the payment was made, somewhere between the two.
    delay_from integer not null check (delay_from >= 0),
    delay_to integer not null check (delay_to >= delay_from),
    check (confirmed + wrong_amount + cancelled <= 100)
);

-- One row: whether they answer. What was answered is counted from the last start on.
create table simulation (
    only_row boolean primary key default true check (only_row),
    running boolean not null,
    since timestamptz,
    confirmed bigint not null,
    wrong_amount bigint not null,
    cancelled bigint not null
);
insert into simulation (running, confirmed, wrong_amount, cancelled) values (false, 0, 0, 0);
