-- How often a caller may call. Held in each process, configured here; processes read it again every minute.

-- +goose Up
create table rate_limit (
    name text primary key,
    -- So many calls at once, and as many again per so many seconds.
    calls integer not null check (calls > 0),
    per_seconds integer not null check (per_seconds > 0)
);

insert into rate_limit (name, calls, per_seconds) values
    ('key', 1000, 1),
    -- Writes by callers who have no key, per address.
    ('address_writes', 600, 60),
    ('login_failures', 10, 900),
    ('address_login_failures', 100, 900);
