-- Where the database is served from, so that a restored copy is noticed: it calls no processor, webhook or feed until
-- somebody has said that it may.

-- +goose Up
create table home (
    only_row boolean primary key default true check (only_row),
    -- PostgreSQL's own number of the cluster, the same on its standbys. Null: the server does not tell.
    cluster bigint,
    -- PostgreSQL's number of the database.
    database bigint not null,
    -- The public URL of the API.
    base_url text not null,
    since timestamptz not null
);
