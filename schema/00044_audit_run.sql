-- +goose Up

-- The audits that run by themselves: one process at a time makes each.
create table audit_run (
    scope text primary key check (scope in ('recent', 'full')),
    began_at timestamptz not null default 'epoch',
    -- When the last audit began that came to its end, and how many violations it found: all that was booked before is proven.
    proven_at timestamptz not null default 'epoch',
    violations bigint not null default 0
);
insert into audit_run (scope, proven_at) values ('recent', now()), ('full', 'epoch');

-- A trader's list by status does not read what is in another.
create index payment_trader_status_idx on payment (trader_id, status, id);
