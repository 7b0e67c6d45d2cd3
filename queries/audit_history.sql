-- name: AuditHistoryInsert :exec
insert into audit_history (scope, began_at, ended_at, rows_read, violations)
values (@scope, @began_at, @ended_at, @rows_read, @violations) on conflict do nothing;

-- AuditHistoryPrune deletes the audits of a scope that began before a time and found nothing.
-- name: AuditHistoryPrune :exec
delete from audit_history where scope = @scope and began_at < @before and violations = 0;

-- AuditHistoryLast is the last audit of a scope that came to its end.
-- name: AuditHistoryLast :one
select * from audit_history where scope = @scope order by began_at desc limit 1;

-- AuditHistoryList lists audits of a scope, the newest first.
-- name: AuditHistoryList :many
select * from audit_history where scope = @scope and began_at < @before order by began_at desc limit @page;

-- AuditHistoryBroken lists the audits of either scope that found something, the newest first.
-- name: AuditHistoryBroken :many
select * from audit_history where violations > 0 order by began_at desc limit @page;

-- name: AuditViolationInsert :exec
insert into audit_violation (scope, began_at, rule, detail)
select @scope, @began_at, unnest(@rules::text[]), unnest(@details::text[]);

-- AuditViolationList are what an audit found, the first of them.
-- name: AuditViolationList :many
select rule, detail from audit_violation where scope = @scope and began_at = @began_at order by id limit @page;
