-- The methods of payments and payouts, the terms of each in a cashbox, limits of currencies, and payers' banks.

-- +goose Up

-- A method of payments that the platform knows, in a currency.
create table method (
    method text not null,
    currency text not null,
    -- What the payer sends money to; null for card checkout.
    requisite_type text,
    requisite_method text,
    primary key (method, currency),
    check ((requisite_type is null) = (requisite_method is null))
);
insert into method (method, currency, requisite_type, requisite_method) values
    ('sbp', 'RUB', 'sbp', 'sbp'),
    ('sim', 'RUB', 'phone', 'sim'),
    ('card', 'RUB', 'card', 'card2card'),
    ('mtstpay', 'RUB', null, null),
    ('quasi_ecom', 'AZN', null, null),
    ('c2c', 'AZN', 'card', 'card2card'),
    ('quasi_ecom', 'TRY', null, null),
    ('c2c', 'TRY', 'card', 'card2card'),
    ('c2c', 'MNT', 'card', 'card2card'),
    ('iban', 'MNT', 'iban', 'iban'),
    ('c2c', 'KZT', 'card', 'card2card'),
    ('c2c', 'UZS', 'card', 'card2card');

-- A method by which a cashbox is paid.
create table cashbox_method (
    cashbox_id bigint not null references cashbox,
    method text not null,
    enabled boolean not null default true,
    -- Markup percent where the body names none; null: the merchant's or the trader's.
    margin_percent numeric(7, 4) check (margin_percent between 0 and 100),
    -- How long a payment of this method waits for its payer.
    validity_seconds integer not null check (validity_seconds between 1 and 86400),
    -- In the cashbox's currency; null: no limit of the cashbox's own.
    min_amount numeric(14, 2) check (min_amount between 0 and 999999999999.99),
    max_amount numeric(14, 2) check (max_amount between 0 and 999999999999.99),
    version bigint not null default 1,
    -- How long a payment waits at least once the payer has said that they have paid.
    claim_seconds integer not null default 900 check (claim_seconds between 1 and 86400),
    -- How many cards may be tried for one payment.
    cards smallint not null default 3 check (cards between 1 and 10),
    primary key (cashbox_id, method)
);
create index cashbox_method_version_idx on cashbox_method (version);
create trigger setting_changes before insert or update on cashbox_method for each statement execute function setting_changes();
create trigger setting_row_changes before insert or update on cashbox_method for each row execute function setting_row_changes();

-- The platform's limits of a payment's amount. A currency without a row has none.
create table platform_limit (
    currency text primary key,
    min_amount numeric(14, 2) not null check (min_amount between 0 and 999999999999.99),
    max_amount numeric(14, 2) not null check (max_amount between min_amount and 999999999999.99)
);
-- Of these there are few, and all are read again.
create trigger setting_changes before insert or update or delete on platform_limit
    for each statement execute function setting_changes();

-- A method of payouts that the platform knows, in a currency.
create table payout_method (
    method text not null,
    currency text not null,
    primary key (method, currency)
);
insert into payout_method (method, currency) values ('sbp', 'RUB'), ('c2c', 'RUB');

-- A method by which a cashbox pays out.
create table cashbox_payout_method (
    cashbox_id bigint not null references cashbox,
    method text not null,
    enabled boolean not null default true,
    -- Added to the base rate: what the merchant pays above the spot.
    markup_percent numeric(7, 4) not null check (markup_percent between 0 and 100),
    -- How long a payout of this method waits for a trader, and how long they have from then on is what is left of it.
    validity_seconds integer not null default 86400 check (validity_seconds between 1 and 604800),
    -- In the cashbox's currency; null: no limit.
    min_amount numeric(18, 2) check (min_amount > 0),
    max_amount numeric(18, 2) check (max_amount > 0),
    primary key (cashbox_id, method),
    constraint cashbox_payout_method_amounts check (min_amount <= max_amount)
);

-- A method and currency in which a trader can pay out.
create table trader_payout_method (
    trader_id bigint not null references trader,
    currency text not null,
    method text not null,
    enabled boolean not null default true,
    primary key (trader_id, currency, method)
);

-- A bank that payers of a currency use: how its app is opened with what has to be entered there.
create table bank (
    currency text not null,
    name text not null check (name <> ''),
    -- Of which payments it is offered.
    methods text[] not null,
    -- With places such as {phone} and {amount}; empty where the bank has no such link.
    link text not null default '',
    -- What to do in the app, by language; for banks without a link.
    steps jsonb not null default '{}',
    -- Where the operator has link and steps from.
    source text not null default '',
    -- A small PNG or WebP.
    logo bytea,
    enabled boolean not null default true,
    primary key (currency, name)
);
