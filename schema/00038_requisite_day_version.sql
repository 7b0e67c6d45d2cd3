-- What a requisite was given in a day changes with every payment of the day. While somebody keeps an old snapshot open, a dump
-- say, the versions of its row stay, and PostgreSQL reads through them all. So changes raise a version, by which the index leads
-- to the newest at once, as with account_balance; here only every sixteenth, since the others then need no entry in the index.

-- +goose Up

alter table requisite_day
    add column changes bigint not null default 0,
    -- A row of version -1 counts nothing: of two that both find no row yet for a day, only one can write the day's first.
    add column version bigint not null generated always as (changes >> 4) stored,
    drop constraint requisite_day_pkey,
    add primary key (requisite_id, day, version);
insert into requisite_day (requisite_id, day, count, sum, changes) select requisite_id, day, 0, 0, -1 from requisite_day;
