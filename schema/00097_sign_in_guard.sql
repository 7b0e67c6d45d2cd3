-- +goose Up
-- Wrong passwords and codes are counted here, so that a restart forgets none, replicas share them, and no number of
-- made-up logins pushes one out. What is counted is hashed: it may be a password in the wrong field.
create table failure_count (
    counted bytea primary key check (length(counted) = 32),
    -- When all that was counted is forgotten again: each failure puts it off by the same time.
    free_at timestamptz not null,
    each_seconds double precision not null
);
create index failure_count_free_idx on failure_count (free_at);

-- Who has one IPv6 address often has its whole /48.
insert into rate_limit (name, calls, per_seconds)
select 'network_login_failures', 300 * case when exists (select from test_clock) then 10 else 1 end, 900;

-- A second factor that was guessed at too often in a row is locked until it is reset, like one that was lost.
alter table app_user add column factor_failures integer not null default 0 check (factor_failures >= 0),
    add column factor_locked_at timestamptz;
create index app_user_factor_locked_idx on app_user (factor_locked_at) where factor_locked_at is not null;

alter table sign_in_event drop constraint sign_in_event_outcome_check;
alter table sign_in_event add constraint sign_in_event_outcome_check check (outcome in
    ('signed_in', 'awaits_factor', 'awaits_enrolment', 'factor_given', 'wrong_password', 'wrong_factor', 'factor_locked'));
