-- What is proposed is declared by the program (internal/proposal), which adds to it more often than the tables change.

-- +goose Up
alter table proposal drop constraint proposal_action_check;
