-- Forms that were sent: each acts once, however often it is sent.

-- +goose Up
create table submission (
    token uuid primary key,
    user_id bigint not null references app_user,
    created_at timestamptz not null,
    -- Where the first sending led to, and what it said. Null: it is under way, or its outcome is not known.
    led_to text,
    said text
);
create index submission_created_idx on submission using brin (created_at);
