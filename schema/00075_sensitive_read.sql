-- Who read what is shown only to who asks for it, such as a whole requisite.

-- +goose Up
create table sensitive_read (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- Who read it, and by which login they signed in then.
    user_id bigint not null,
    login text not null,
    -- What kind of thing it is of, and which one.
    subject text not null,
    subject_key text not null,
    -- What of it was read, such as value.
    what text not null,
    request_id text not null
);
create index sensitive_read_subject_idx on sensitive_read (subject, subject_key, id);
create index sensitive_read_user_idx on sensitive_read (user_id, id);
-- The log of the console reads by time.
create index sensitive_read_at_idx on sensitive_read (at, id);
create trigger sensitive_read_append_only before update or delete or truncate on sensitive_read
    for each statement execute function append_only();
