-- Processes keep in memory what operators set, and ask for one number to see whether it has changed. A choice among requisites
-- reads no row any more, so what it needed of other tables, and the order of use, need not stand in requisite; whatever must
-- never be wrong is refused by constraints on what a reservation writes.

-- +goose Up
-- One row. Its lock, held to the end of each change, has changes become visible in the order of their versions.
create table setting_version (
    only_row boolean primary key default true check (only_row),
    version bigint not null
);
insert into setting_version (version) values (1);

-- +goose StatementBegin
create function setting_changes() returns trigger language plpgsql as $$
begin
    update setting_version set version = version + 1;
    return null;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function setting_row_changes() returns trigger language plpgsql as $$
begin
    new.version := (select version from setting_version);
    return new;
end $$;
-- +goose StatementEnd

alter table requisite_day
    -- The limits that the last payment was counted under; null for none, and after a payment that is counted whatever they are.
    add column count_limit integer,
    add column sum_limit numeric(14, 2),
    -- When the requisite was last given to a payment on this day.
    add column used_at timestamptz,
    add constraint requisite_day_count check (count <= count_limit),
    add constraint requisite_day_sum check (sum <= sum_limit);
update requisite_day d set used_at = r.last_used_at from requisite r where r.id = d.requisite_id and isfinite(r.last_used_at);

-- A row carries the version at which it was last changed, so that a process reads again only what it does not know yet.
alter table merchant add column version bigint not null default 1;
alter table cashbox add column version bigint not null default 1;
alter table cashbox_method add column version bigint not null default 1;
alter table trader add column version bigint not null default 1;
alter table requisite
    drop column active,
    drop column trader_rate_percent,
    drop column trader_share_percent,
    drop column last_used_at,
    add column version bigint not null default 1;
create index merchant_version_idx on merchant (version);
create index cashbox_version_idx on cashbox (version);
create index cashbox_method_version_idx on cashbox_method (version);
create index trader_version_idx on trader (version);
create index requisite_version_idx on requisite (version);

create trigger setting_changes before insert or update on merchant for each statement execute function setting_changes();
create trigger setting_changes before insert or update on cashbox for each statement execute function setting_changes();
create trigger setting_changes before insert or update on cashbox_method for each statement execute function setting_changes();
create trigger setting_changes before insert or update on trader for each statement execute function setting_changes();
create trigger setting_changes before insert or update on requisite for each statement execute function setting_changes();
create trigger setting_row_changes before insert or update on merchant for each row execute function setting_row_changes();
create trigger setting_row_changes before insert or update on cashbox for each row execute function setting_row_changes();
create trigger setting_row_changes before insert or update on cashbox_method for each row execute function setting_row_changes();
create trigger setting_row_changes before insert or update on trader for each row execute function setting_row_changes();
create trigger setting_row_changes before insert or update on requisite for each row execute function setting_row_changes();
-- Of these there are few, and all are read again.
create trigger setting_changes before insert or update or delete on platform_limit
    for each statement execute function setting_changes();
create trigger setting_changes before insert or update or delete on rate
    for each statement execute function setting_changes();

-- Whoever wants a slot that is taken, or one more than may be open, writes minus infinity.
alter table requisite_slot add constraint requisite_slot_free check (free_at > '-infinity');

-- Raised by whatever changes a payment. Who changes one that he has read says at which version, and writes -1 where that
-- has gone by: so of two at a time one is refused and reads again.
alter table payment add column version integer not null default 0 constraint payment_version check (version >= 0);

-- Local time is told by the program.
drop function local_time(text, timestamptz);
drop function zone_known(text);
