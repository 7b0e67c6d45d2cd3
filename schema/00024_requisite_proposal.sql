-- A trader reads what became of the requisites that they proposed.

-- +goose Up
create index proposal_requisite_idx on proposal (subject_key, id) where action = 'create_requisite';
