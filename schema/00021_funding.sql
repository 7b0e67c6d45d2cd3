-- What a platform needs before its first payment: accounts of its own, and USDT that traders bring in.

-- +goose Up
-- Both accounts of the world outside and of the platform, as ledger.Account numbers them.
insert into account (id, owner_kind, owner_id, purpose) values
    (0, 'external', 0, 'available'), (1, 'external', 0, 'reserved'),
    (2, 'platform', 0, 'available'), (3, 'platform', 0, 'reserved')
on conflict do nothing;

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

