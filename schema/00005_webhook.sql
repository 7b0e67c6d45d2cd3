-- Events that are sent again by hand.

-- +goose Up
alter table webhook_event
    -- How often the event was sent again by hand. A delivery job belongs to one round: those of rounds gone by do nothing.
    add column round integer not null default 0;

-- A merchant's dead events; webhook_event_dead_idx has everybody's.
create index webhook_event_dead_merchant_idx on webhook_event (merchant_id, number) where status = 'dead';
