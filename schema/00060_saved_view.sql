-- Filters of lists that users keep under a name.

-- +goose Up
create table saved_view (
    id bigint generated always as identity primary key,
    user_id bigint not null references app_user,
    name text not null check (char_length(name) between 1 and 60),
    -- The list's path, and the query that the list is asked for with.
    path text not null,
    query text not null,
    created_at timestamptz not null,
    constraint saved_view_name unique (user_id, path, name)
);
