-- +goose Up
-- Tries of one card count wherever they come from, until its bank has said yes: whoever guesses what is printed on its back
-- needs other payments, cashboxes and addresses, but has only the one card.
insert into rate_limit (name, calls, per_seconds)
select 'card_declines', 5 * case when exists (select from test_clock) then 10 else 1 end, 3600;

-- Whoever takes a payout sees its recipient. So takes are bounded by the hour, and one that a trader gave back is not offered to
-- them again.
create table payin_take (
    trader_id bigint not null,
    payin_id bigint not null,
    at timestamptz not null,
    given_back_at timestamptz,
    primary key (trader_id, payin_id)
);
create index payin_take_at_idx on payin_take (trader_id, at);
create index payin_take_given_back_idx on payin_take (given_back_at) where given_back_at is not null;

insert into rate_limit (name, calls, per_seconds)
select 'trader_takes', 60 * case when exists (select from test_clock) then 10 else 1 end, 3600;
