-- How often a checkout link may be called, and how many different cards may come from one address to one cashbox.

-- +goose Up
insert into rate_limit (name, calls, per_seconds) values
    ('checkout_reads', 20, 1),
    ('checkout_writes', 60, 60),
    -- Counted in the table card_seen.
    ('checkout_cards', 10, 3600);
