-- Who works on what waits for operators.

-- +goose Up
create table work_claim (
    kind text not null,
    subject_id bigint not null,
    user_id bigint not null references app_user,
    since timestamptz not null,
    -- One operator at a time.
    primary key (kind, subject_id)
);
create index work_claim_since_idx on work_claim using brin (since);
