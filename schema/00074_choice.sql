-- How payments got their requisites, and how often there was none.

-- +goose Up
-- The requisites that the choice passed by, as [[rule, id], ...] in their order; null where it took the first. At most 100 are
-- kept; choice_looked says how many were looked at.
alter table payment add column choice_passed jsonb;

-- How many creations found no requisite, by the hour and by the rule that dropped the closest candidate.
create table routing_refusal_hour (
    -- The beginning of an hour, in UTC.
    hour timestamptz not null,
    merchant_id bigint not null,
    currency text not null,
    method text not null,
    cause text not null,
    refusals bigint not null,
    primary key (hour, merchant_id, currency, method, cause)
);
