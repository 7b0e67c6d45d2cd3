-- Which programs can work on the database, so that the release before can be put back.

-- +goose Up

-- One row: a program can work here that knows this migration or a later one. A migration that only adds leaves it as it is. One
-- that changes or removes what an older program uses raises it to its own number: update schema_floor set version = ...
create table schema_floor (
    only_row boolean primary key default true check (only_row),
    version bigint not null
);
insert into schema_floor (version) values (60);
