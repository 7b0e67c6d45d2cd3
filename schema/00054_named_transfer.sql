-- Transfers of transactions that the signer of withdrawals has named, from whichever address.

-- +goose Up
alter table chain_transfer drop constraint chain_transfer_direction_check, add constraint chain_transfer_direction_check
    check (direction in ('in', 'out', 'named')) not valid;
alter table chain_transfer validate constraint chain_transfer_direction_check;
