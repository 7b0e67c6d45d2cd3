-- Payments begun by links are counted by network as well, and in the table failure_count: all processes share the counts.

-- +goose Up
insert into rate_limit (name, calls, per_seconds) values
    -- Per IPv6 /48, which one customer often has whole: 65,536 of the addresses that link_payments is counted by.
    ('link_network_payments', 100, 600);
