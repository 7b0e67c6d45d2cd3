-- AuditRunBegin gives an audit to the caller, if it is due and nobody is at it. One that somebody began and left is gone on with,
-- if it is not too old for that.
-- name: AuditRunBegin :one
update audit_run r set seen_at = @now,
    began_at = case when goes_on then r.began_at else @now end, rule = case when goes_on then r.rule else '' end,
    past = case when goes_on then r.past else 0 end, found = case when goes_on then r.found else 0 end,
    rows_read = case when goes_on then r.rows_read else 0 end
from (select o.scope, o.began_at > o.proven_at and o.began_at > @too_old_from::timestamptz as goes_on from audit_run o) old
where r.scope = @scope and old.scope = r.scope and r.proven_at <= @due_from::timestamptz
    and (r.began_at <= r.proven_at or r.seen_at <= @abandoned_from::timestamptz)
returning r.began_at, r.proven_at, r.rule, r.past, r.found, r.rows_read;

-- AuditRunSeen notes how far the caller's audit has come, if nobody else has taken it over.
-- name: AuditRunSeen :execrows
update audit_run set seen_at = @now, rule = @rule, past = @past, found = @found, rows_read = @rows_read
where scope = @scope and seen_at = @last_seen;

-- name: AuditRunEnd :execrows
update audit_run set proven_at = began_at, violations = @violations where scope = @scope and seen_at = @last_seen;

-- name: AuditRunViolations :one
select violations from audit_run where scope = @scope;

-- AuditRunList is how each audit stands.
-- name: AuditRunList :many
select scope, began_at, proven_at, violations, rule, found, rows_read, seen_at from audit_run order by scope;
