-- When a process last served: each writes it in the round that expires payments. A gap in it is an outage, whose minutes open
-- payments get back.

-- +goose Up
create table serving (
    singleton boolean primary key default true check (singleton),
    -- By the database's clock; null: never.
    at timestamptz
);
insert into serving (at) values (null);
-- Not checked of what there is, so that nobody waits for it: that has satisfied a narrower one.
alter table payment_step drop constraint payment_step_what_check, add constraint payment_step_what_check check (what in
    ('page_opened', 'card_entered', 'code_requested', 'code_resent', 'code_entered', 'code_not_needed', 'time_given_back')) not valid;
