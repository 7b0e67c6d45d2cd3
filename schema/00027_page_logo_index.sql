-- +goose NO TRANSACTION
-- A logo is asked for by its hash.

-- +goose Up
set lock_timeout = 0;
drop index concurrently if exists cashbox_page_logo_idx;
create index concurrently cashbox_page_logo_idx on cashbox (page_logo_hash) where page_logo_hash is not null;
