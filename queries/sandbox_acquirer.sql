-- SandboxAttemptInsert opens an attempt; one already known, or voided before, stays as it is.
-- name: SandboxAttemptInsert :exec
insert into sandbox_acquirer (attempt_id, currency, amount, script, answers_at)
values (@attempt_id, @currency, @amount, @script, @answers_at) on conflict do nothing;

-- name: SandboxAttemptGet :one
select * from sandbox_acquirer where attempt_id = @attempt_id;

-- SandboxAttemptCode takes a code, once each.
-- name: SandboxAttemptCode :exec
update sandbox_acquirer set codes = @number, code_right = @code_right
where attempt_id = @attempt_id and codes < @number and not code_right and not voided;

-- name: SandboxAttemptResend :exec
update sandbox_acquirer set resends = greatest(resends, @number::integer) where attempt_id = @attempt_id;

-- SandboxAttemptVoid undoes an attempt; of an unknown one it makes sure that it never begins.
-- name: SandboxAttemptVoid :exec
insert into sandbox_acquirer (attempt_id, currency, amount, script, answers_at, voided)
values (@attempt_id, '', 0, 'tombstone', @now, true)
on conflict (attempt_id) do update set voided = true;
