-- What merchants' programs asked of the API lately, for their developers: never a body, never a secret.

-- +goose Up
-- Rows come in batches, in about the order of time, and go in the same order after seven days: so the ids of what is old are the
-- lowest. Nothing refers to them, and they refer to nothing: writing one must not lock the row of its merchant.
create table api_request (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    -- When it came.
    at timestamptz not null,
    method text not null,
    -- The pattern of the path, or the procedure. The path itself may be a credential.
    path text not null,
    status smallint not null,
    -- The code of the error, '' where there is none.
    code text not null,
    key_id text not null,
    -- The X-Request-Id of the answer; '' where it could be a secret that somebody put there.
    request_id text not null,
    duration_us bigint not null
);
create index api_request_merchant_idx on api_request (merchant_id, id);
create index api_request_named_idx on api_request (merchant_id, request_id) where request_id <> '';
