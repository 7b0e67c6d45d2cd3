-- TestClockSeed claims the database for one sandbox key. No row: it is claimed already.
-- name: TestClockSeed :execrows
insert into test_clock (offset_seconds, seed_fingerprint) values (0, @seed_fingerprint)
on conflict (singleton) do nothing;

-- name: TestClockGet :one
select offset_seconds, seed_fingerprint from test_clock;

-- TestClockAdvance moves the clock. Where there is none it is a division by zero.
-- name: TestClockAdvance :one
with moved as (
    update test_clock set offset_seconds = offset_seconds + @seconds returning offset_seconds
)
select coalesce((select offset_seconds from moved), 1 / (select count(*) from moved))::bigint;
