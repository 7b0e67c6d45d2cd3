-- AuditSettings lists changes of settings, the newest first, from a place in the log down, or backward the other way. The way is a
-- constant of the plan, here and below, so an index has the rows in their order either way.
-- name: AuditSettings :many
select id, at, actor, subject, subject_key, before, after, reason from setting_change
where case when @backward::boolean then (at, id) > (@at::timestamptz, @id::bigint) else (at, id) < (@at, @id) end
  and at >= @from_at::timestamptz and at < @to_at::timestamptz
  and (sqlc.narg(actor)::text is null or actor = sqlc.narg(actor))
  and (sqlc.narg(subject)::text is null or subject = sqlc.narg(subject))
  and (sqlc.narg(subject_key)::text is null or subject_key = sqlc.narg(subject_key))
  and (sqlc.narg(without)::text is null or subject <> sqlc.narg(without))
order by case when @backward then at end, case when @backward then id end, at desc, id desc limit @page;

-- AuditSignIns lists sign-ins and tries, the newest first, from a place in the log down.
-- name: AuditSignIns :many
select id, at, user_id, door, outcome, address, agent from sign_in_event
where case when @backward::boolean then (at, id) > (@at::timestamptz, @id::bigint) else (at, id) < (@at, @id) end
  and at >= @from_at::timestamptz and at < @to_at::timestamptz
  and (sqlc.narg(user_id)::bigint is null or user_id = sqlc.narg(user_id))
  and (not @only_failed::boolean or failed) and (not @only_good::boolean or not failed)
order by case when @backward then at end, case when @backward then id end, at desc, id desc limit @page;

-- AuditUsers names users, of whom the log has the ids.
-- name: AuditUsers :many
select id, login from app_user where id = any(@ids::bigint[]);

-- AuditUser finds a user by their login or id: no login is a number.
-- name: AuditUser :one
select id, kind from app_user where login = @named::text or id = sqlc.narg(id)::bigint;

-- AuditReads lists what operators read of what is hidden, the newest first, from a place in the log down.
-- name: AuditReads :many
select id, at, user_id, login, subject, subject_key, what from sensitive_read
where case when @backward::boolean then (at, id) > (@at::timestamptz, @id::bigint) else (at, id) < (@at, @id) end
  and at >= @from_at::timestamptz and at < @to_at::timestamptz
  and (sqlc.narg(user_id)::bigint is null or user_id = sqlc.narg(user_id))
  and (sqlc.narg(subject)::text is null or subject = sqlc.narg(subject))
  and (sqlc.narg(subject_key)::text is null or subject_key = sqlc.narg(subject_key))
order by case when @backward then at end, case when @backward then id end, at desc, id desc limit @page;

-- AuditProposals lists what was proposed, and what was decided of it, the newest first, from a place in the log down. The
-- two lines of a proposal have twice its id, and one more than that.
-- name: AuditProposals :many
select made.id::bigint as id, made.at::timestamptz as at, made.user_id::bigint as user_id, made.action, made.subject, made.subject_key,
    made.payload, made.decision::text as decision, made.why::text as why
from (
    (
        select id * 2 as id, created_at as at, proposed_by as user_id, action, subject, subject_key, payload, '' as decision, reason as why
        from proposal
        where @proposed::boolean
          and case when @backward::boolean then (created_at, id * 2) > (@at::timestamptz, @id::bigint)
              else (created_at, id * 2) < (@at, @id) end
          and created_at >= @from_at::timestamptz and created_at < @to_at::timestamptz
          and (sqlc.narg(user_id)::bigint is null or proposed_by = sqlc.narg(user_id))
          and (sqlc.narg(subject)::text is null or subject = sqlc.narg(subject))
          and (sqlc.narg(subject_key)::text is null or subject_key = sqlc.narg(subject_key))
        order by case when @backward then created_at end, case when @backward then proposal.id end, created_at desc, proposal.id desc
        limit @page
    ) union all (
        select id * 2 + 1, decided_at, decided_by, action, subject, subject_key, payload, decision, decision_reason
        from proposal
        where @decided::boolean
          and case when @backward then (decided_at, id * 2 + 1) > (@at, @id) else (decided_at, id * 2 + 1) < (@at, @id) end
          and decided_at >= @from_at::timestamptz and decided_at < @to_at::timestamptz
          and (sqlc.narg(user_id)::bigint is null or decided_by = sqlc.narg(user_id))
          and (sqlc.narg(subject)::text is null or subject = sqlc.narg(subject))
          and (sqlc.narg(subject_key)::text is null or subject_key = sqlc.narg(subject_key))
        order by case when @backward then decided_at end, case when @backward then id end, decided_at desc, id desc limit @page
    )
) made
order by case when @backward then made.at end, case when @backward then made.id end, made.at desc, made.id desc limit @page;
