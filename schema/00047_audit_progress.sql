-- +goose Up

-- How far a full audit has come, for whoever goes on with it: the rule it is at, up to which id that is proven, what was found so
-- far, and when it last came further.
alter table audit_run
    add column seen_at timestamptz not null default 'epoch',
    add column rule text not null default '',
    add column past bigint not null default 0,
    add column found bigint not null default 0;

-- The audit goes through transfers in the order they were made.
create index transfer_id_idx on transfer (id);
