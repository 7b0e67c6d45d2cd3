-- +goose Up

-- What an account has, apart from whose it is. A trader's balance changes with every payment of his, and until a vacuum comes the
-- database reads through all the versions a row has had; while somebody keeps an old snapshot open, a dump say, none comes. So
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
insert into account_balance (account_id, balance, overdrawn) select id, balance, overdrawn from account;
alter table account drop column balance, drop column overdrawn;
