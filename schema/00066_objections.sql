-- What traders object to, and what operators decided about it.

-- +goose NO TRANSACTION

-- +goose Up
alter table bank_message
    -- What the trader says against a payment that the message confirmed. An objection from before this has it in why.
    add column if not exists objection text,
    -- What an operator decided: upheld, no money came; rejected, it did. Null: nobody has.
    add column if not exists outcome text,
    add column if not exists resolution text,
    add column if not exists resolved_at timestamptz,
    add column if not exists resolved_by text;
alter table bank_message drop constraint if exists bank_message_outcome_check,
    add constraint bank_message_outcome_check check (outcome in ('upheld', 'rejected')) not valid;
alter table bank_message validate constraint bank_message_outcome_check;
set lock_timeout = 0;
-- The objections that wait for operators.
drop index concurrently if exists bank_message_unresolved_idx;
create index concurrently bank_message_unresolved_idx on bank_message (id) where state = 'objected' and outcome is null;
