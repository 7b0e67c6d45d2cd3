-- +goose Up

-- Banks that payers of a currency use: how their app is opened with what has to be entered there.
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
