-- Whoever approves an invitation gets a code, without which the link that its proposer gets is not enough.

-- +goose Up
alter table invitation
    -- SHA-256 of the user's id and the code. Null: it takes none, as nobody approved it, or it was made before there were codes.
    add column code_hash bytea,
    -- How many wrong codes were given with its link. Too many delete it.
    add column wrong_codes integer not null default 0;
