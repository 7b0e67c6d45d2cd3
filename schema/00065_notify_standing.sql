-- +goose NO TRANSACTION
-- What is told of as long as it stands, how far all else was told, and what was decided lately.

-- +goose Up

-- What has begun and is not over yet, of which users are told both, such as an endpoint that fails. It is kept here, so that a process
-- that begins to tell knows what the one before it knew.
create table if not exists notify_standing (
    kind text not null,
    -- A trader's id, or a merchant's.
    owner_id bigint not null,
    -- What of theirs; '': themselves.
    subject text not null,
    -- Each beginning is told once, so this is part of what notices are about.
    began_at timestamptz not null,
    -- When it was last seen to stand, and of an endpoint the newest event that it did not take then; of all else zeros.
    seen_at timestamptz not null,
    event_id uuid not null,
    -- That it has begun was told.
    told boolean not null default false,
    primary key (kind, owner_id, subject)
);

-- Until when everything that happened was told; null: nobody has told anything yet.
alter table notify_feed add column if not exists read_until timestamptz;

set lock_timeout = 0;
drop index concurrently if exists appeal_decided_idx;
create index concurrently appeal_decided_idx on appeal (status_at) where status in ('completed', 'failed');
drop index concurrently if exists deposit_decided_idx;
create index concurrently deposit_decided_idx on deposit (status_at) where status in ('confirmed', 'rejected');
drop index concurrently if exists withdrawal_ended_idx;
create index concurrently withdrawal_ended_idx on withdrawal (status_at) where status in ('completed', 'rejected', 'failed', 'cancelled');
