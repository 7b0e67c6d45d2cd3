-- What feeds brought in the last day, one value a minute: a feed that creeps stays within the band of the value before, and
-- is found out by the day's median.

-- +goose Up
alter table rate_feed
    -- How far a value may be from that median.
    add column day_band_percent numeric(7, 4) not null default 10 check (day_band_percent between 0.01 and 100);

create table rate_observation (
    feed_id bigint not null references rate_feed,
    minute timestamptz not null,
    fiat_per_usdt numeric(20, 8) not null check (fiat_per_usdt between 0.00000001 and 999999999999),
    primary key (feed_id, minute)
);
