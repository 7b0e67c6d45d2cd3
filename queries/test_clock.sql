-- TestClockSeed claims the database for one sandbox key. No row: it is claimed already.
-- name: TestClockSeed :execrows
insert into test_clock (offset_seconds, seed_fingerprint) values (0, @seed_fingerprint)
on conflict (singleton) do nothing;

-- name: TestClockGet :one
select offset_seconds, seed_fingerprint from test_clock;

-- name: TestClockAdvance :one
update test_clock set offset_seconds = offset_seconds + @seconds returning offset_seconds;
