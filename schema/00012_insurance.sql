-- What of a cashbox's reserved USDT insures its payers' transfers.

-- +goose Up
alter table cashbox add column insurance_usdt numeric(28, 8) not null default 0
    check (insurance_usdt between 0 and 99999999999999999999);
