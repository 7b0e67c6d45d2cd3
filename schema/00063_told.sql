-- Figures in what users are told, and from where keys are used.

-- +goose Up

-- What fills the places of a notice's text, separated by tabs; '' is a text without places.
alter table notice add column figures text not null default '';

-- From where a key of a merchant was used. Rows are written by what logs requests, at most once a day each, and go when they were not
-- seen for long. They refer to nothing, as those of api_request.
create table key_address (
    key_id text not null,
    -- As limits know callers: of IPv6 the network.
    address text not null,
    merchant_id bigint not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    primary key (key_id, address)
);
create index key_address_first_idx on key_address (first_at);
create index key_address_last_idx on key_address (last_at);
