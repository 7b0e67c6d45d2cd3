-- +goose Up

-- Ranges of dead events that are sent again, a batch at a time as the endpoint takes them.
create table webhook_replay (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    url text not null,
    -- By when the events were created; null leaves that end open.
    from_at timestamptz,
    until_at timestamptz,
    -- Numbers of events: how far it has come, and the last there was when it began.
    after_number bigint not null default 0,
    last_number bigint not null,
    replayed bigint not null default 0,
    state text not null default 'running' check (state in ('running', 'done', 'stopped')),
    started_at timestamptz not null
);
create index webhook_replay_running_idx on webhook_replay (id) where state = 'running';
