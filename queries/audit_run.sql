-- AuditRunBegin gives an audit to the caller, if it is due and nobody has just begun it, and tells what is proven already.
-- name: AuditRunBegin :one
update audit_run set began_at = @now
where scope = @scope and proven_at <= @due_from::timestamptz and (began_at <= proven_at or began_at <= @abandoned_from::timestamptz)
returning proven_at;

-- name: AuditRunEnd :exec
update audit_run set proven_at = @began_at, violations = @violations where scope = @scope;

-- name: AuditRunViolations :one
select violations from audit_run where scope = @scope;
