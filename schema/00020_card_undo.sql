-- A payment that was taken back has the charge that completed it undone.

-- +goose Up
-- undoing: approved, and to be voided since.
alter table card_attempt drop constraint card_attempt_status_check, add check
    (status in ('authorising', 'open', 'undoing', 'approved', 'declined', 'voided', 'lost', 'conflict'));
drop index card_attempt_due_idx;
create index card_attempt_due_idx on card_attempt (poll_at) where status in ('authorising', 'open', 'undoing');
