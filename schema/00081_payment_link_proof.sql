-- The address of a payment link stays when link keys are rotated: it is printed and published, for as long as its merchant likes.

-- +goose Up
alter table payment_link
    -- What the address proves itself by, behind the uuid. Null: made before this was kept, so the link keys prove it.
    add column proof bytea check (length(proof) = 16);
