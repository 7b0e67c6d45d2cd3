-- The picture of a payment link.

-- +goose Up
-- The beginning of the picture's SHA-256 in hex; null is none. The picture is asked for by it, so that what is served at an
-- address never changes.
alter table payment_link add column picture_hash text;

-- The picture is a JPEG that the gateway has drawn anew from what was uploaded. It lies apart from its link, of which lists
-- need no more than the hash.
create table link_picture (
    link_id bigint primary key,
    merchant_id bigint not null,
    hash text not null,
    content bytea not null,
    check (hash = left(encode(sha256(content), 'hex'), 32))
);
