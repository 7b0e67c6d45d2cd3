-- Simulated traders: how they answer for payments, in a sandbox only.

-- +goose Up
create table simulation_play (
    method text primary key,
    -- Percentages of the method's payments. What is left to 100 is never answered, and expires.
    confirmed smallint not null check (confirmed between 0 and 100),
    wrong_amount smallint not null check (wrong_amount between 0 and 100),
    cancelled smallint not null check (cancelled between 0 and 100),
    -- The answer comes so many seconds after the payment was made, somewhere between the two.
    delay_from integer not null check (delay_from >= 0),
    delay_to integer not null check (delay_to >= delay_from),
    check (confirmed + wrong_amount + cancelled <= 100)
);

-- One row. What was answered is counted from the last start on.
create table simulation (
    only_row boolean primary key default true check (only_row),
    running boolean not null,
    since timestamptz,
    confirmed bigint not null,
    wrong_amount bigint not null,
    cancelled bigint not null
);
insert into simulation (running, confirmed, wrong_amount, cancelled) values (false, 0, 0, 0);
