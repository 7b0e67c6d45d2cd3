-- The shop's logo on hosted pages.

-- +goose Up
-- The logo is a small PNG that the gateway has drawn anew from what was uploaded; null is none. It is asked for by the
-- beginning of its SHA-256 in hex, so that what is served at an address never changes.
alter table cashbox add column page_logo bytea, add column page_logo_hash text,
    add constraint cashbox_page_logo check (page_logo_hash is not distinct from left(encode(sha256(page_logo), 'hex'), 32));
