-- Pages of payment links and pictures were counted by nothing: whoever asks for them has no payment that they could count by.

-- +goose Up
insert into rate_limit (name, calls, per_seconds) values
    -- Per address, which a mobile network may give to many payers at once.
    ('address_reads', 1000, 10);
