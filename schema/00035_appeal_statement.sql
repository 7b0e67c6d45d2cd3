-- An appeal that is refused says which line of the trader's bank statement shows that, or why there is none.

-- +goose Up
alter table appeal add column statement text;
comment on column appeal.statement is 'Read by operators alone.';
