-- What counts as a failed sign-in, and how often users may call.

-- +goose Up
-- Ten wrong passwords lock a login out for the address they came from; to lock it out everywhere takes a hundred. A
-- sandbox, which has a test clock, allows ten times as much of everything.
update rate_limit set calls = calls * 10 where name = 'login_failures';
insert into rate_limit (name, calls, per_seconds)
select name, calls * case when exists (select from test_clock) then 10 else 1 end, per_seconds
from (values ('login_address_failures', 10, 900), ('user', 20, 1)) as added (name, calls, per_seconds);
