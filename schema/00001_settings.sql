-- What other tables need: rows that stay as they are, the number by which processes notice that a setting has changed, the log
-- of such changes, and how often anybody may call or fail.

-- +goose Up

-- Tells a database of this schema from those that development versions made, whose migrations had other contents under the same
-- numbers. Nothing leads from those to here.
create function schema_baseline() returns integer language sql immutable return 1;

-- The trigger of tables whose rows are written once.
-- +goose StatementBegin
create function append_only() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
-- +goose StatementEnd

-- One row. Processes keep in memory what operators set, and ask for this number to see whether it has changed. The row's lock,
-- held to the end of each change, has changes become visible in the order of their versions.
create table setting_version (
    only_row boolean primary key default true check (only_row),
    version bigint not null
);
insert into setting_version (version) values (1);

-- The trigger of statements that change what processes keep in memory.
-- +goose StatementBegin
create function setting_changes() returns trigger language plpgsql as $$
begin
    update setting_version set version = version + 1;
    return null;
end $$;
-- +goose StatementEnd

-- The trigger of rows among these: each carries the version at which it was last changed, so that a process reads again only what
-- it does not know yet.
-- +goose StatementBegin
create function setting_row_changes() returns trigger language plpgsql as $$
begin
    new.version := (select version from setting_version);
    return new;
end $$;
-- +goose StatementEnd

-- A change of a setting, for good: by whom, of what, and how it was before and after.
create table setting_change (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- Who: 'operator:1', 'trader:3', 'command'.
    actor text not null,
    -- What kind of thing was changed, and which one.
    subject text not null,
    subject_key text not null,
    -- Null: it was made.
    before jsonb,
    after jsonb not null
);
create index setting_change_subject_idx on setting_change (subject, subject_key, id);
create index setting_change_key_idx on setting_change (subject_key, id);
create index setting_change_actor_idx on setting_change (actor, id);
-- The log that operators read goes by time, by who made a change, and by what was changed.
create index setting_change_at_idx on setting_change (at, id);
create index setting_change_actor_at_idx on setting_change (actor, at, id);
create index setting_change_subject_at_idx on setting_change (subject, at, id);
create index setting_change_key_at_idx on setting_change (subject, subject_key, at, id);
-- What the command has done to the settings is looked for by an alarm.
create index setting_change_command_idx on setting_change (at) where actor = 'command';
create trigger setting_change_append_only before update or delete or truncate on setting_change
    for each statement execute function append_only();

-- The log has the last four characters of what payers send money to, whoever writes it.
create function requisite_masked(setting jsonb) returns jsonb language sql immutable
    return case when setting ->> 'value' <> '' and setting ->> 'value' not like '•••• %'
        then jsonb_set(setting, '{value}', to_jsonb('•••• ' || right(setting ->> 'value', 4))) else setting end;
-- +goose StatementBegin
create function setting_change_masked() returns trigger language plpgsql as $$
begin
    new.before := requisite_masked(new.before);
    new.after := requisite_masked(new.after);
    return new;
end $$;
-- +goose StatementEnd
create trigger setting_change_masked before insert on setting_change
    for each row when (new.subject = 'requisite') execute function setting_change_masked();

-- How often a caller may call, by what the limit is of. Counted in each process, but for what is said below; processes read it
-- again every minute.
create table rate_limit (
    name text primary key,
    -- So many calls at once, and as many again per so many seconds.
    calls integer not null check (calls > 0),
    per_seconds integer not null check (per_seconds > 0)
);
insert into rate_limit (name, calls, per_seconds) values
    ('key', 1000, 1),
    ('user', 20, 1),
    -- Writes by callers who have no key, per address.
    ('address_writes', 600, 60),
    -- Wrong passwords and codes, counted in the table failure_count. Ten lock a login out for the address they came from; to lock
    -- it out everywhere takes a hundred. Who has one IPv6 address often has its whole /48, which is the network.
    ('login_address_failures', 10, 900),
    ('login_failures', 100, 900),
    ('address_login_failures', 100, 900),
    ('network_login_failures', 300, 900),
    -- Of a checkout link.
    ('checkout_reads', 20, 1),
    ('checkout_writes', 60, 60),
    -- Different cards that came from one address to one cashbox and were declined, counted in the table card_declined.
    ('checkout_cards', 10, 3600),
    -- Tries of one card, wherever they come from, until its bank has said yes: whoever guesses what is printed on its back needs
    -- other payments, cashboxes and addresses, but has only the one card.
    ('card_declines', 5, 3600),
    -- Whoever takes a payout sees its recipient. Counted in the table payin_take.
    ('trader_takes', 60, 3600);

-- What failed lately, such as a wrong password. Counted here, so that a restart forgets nothing, replicas share it, and no number
-- of made-up logins pushes one out.
create table failure_count (
    -- What is counted, hashed: it may be a password in the wrong field.
    counted bytea primary key check (length(counted) = 32),
    -- When all that was counted is forgotten again: each failure puts it off by the same time.
    free_at timestamptz not null,
    each_seconds double precision not null
);
create index failure_count_free_idx on failure_count (free_at);
