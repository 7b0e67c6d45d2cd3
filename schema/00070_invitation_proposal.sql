-- +goose Up
-- The approved proposal that this invitation is of. Its link is for whoever proposed it.
alter table invitation add column proposal_id bigint references proposal;
