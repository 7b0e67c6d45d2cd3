-- +goose Up
-- The audits that came to their ends, what each found, and how much it went through.
alter table audit_run add column rows_read bigint not null default 0;

create table audit_history (
    scope text not null check (scope in ('recent', 'full')),
    began_at timestamptz not null,
    ended_at timestamptz not null,
    rows_read bigint not null,
    violations bigint not null,
    primary key (scope, began_at)
);
create index audit_history_broken_idx on audit_history (began_at) where violations > 0;

-- What audits found, as they find it: also those that have not come to their ends yet.
create table audit_violation (
    id bigint generated always as identity primary key,
    scope text not null,
    began_at timestamptz not null,
    rule text not null,
    detail text not null
);
create index audit_violation_run_idx on audit_violation (scope, began_at, id);

-- Since when each alarm fires or is quiet.
create table alarm_state (
    name text primary key,
    firing boolean not null,
    since timestamptz not null,
    checked_at timestamptz not null
);

-- Alarms ask for what has waited too long, once a minute. Of appeals the queue's index serves.
create index deposit_waiting_idx on deposit (created_at) where status = 'pending';
