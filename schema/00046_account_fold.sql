-- +goose Up

-- How far an account's pending rows are folded into its balance. A fold deletes them, but while somebody's snapshot is open they
-- are still passed by: so it begins after those that are known to be gone.
create table account_fold (
    account_id bigint primary key,
    -- Pending rows up to this id are gone, but for those of a transaction that wrote for longer than a minute.
    done_to bigint not null default 0,
    -- Up to here they were gone when that was noted; after a minute, all that had an id by then are.
    noted_to bigint not null default 0,
    noted_at timestamptz not null
);
