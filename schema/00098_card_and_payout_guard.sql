-- +goose Up
-- Tries of one card count wherever they come from, until its bank has said yes: whoever guesses what is printed on its back
-- needs other payments, cashboxes and addresses, but has only the one card.
insert into rate_limit (name, calls, per_seconds)
select 'card_declines', 5 * case when exists (select from test_clock) then 10 else 1 end, 3600;
