-- WorkClaims are who works on some of a kind.
-- name: WorkClaims :many
select c.subject_id, c.user_id, c.since, u.login from work_claim c join app_user u on u.id = c.user_id
where c.kind = @kind and c.subject_id = any(@subject_ids::bigint[]);

-- WorkClaimTake gives something to an operator, unless another one has it who took it lately. No row: so it is.
-- name: WorkClaimTake :execrows
insert into work_claim as c (kind, subject_id, user_id, since) values (@kind, @subject_id, @user_id, @now)
on conflict (kind, subject_id) do update set user_id = excluded.user_id, since = excluded.since
where c.user_id = excluded.user_id or c.since <= @stale::timestamptz or @over::boolean;

-- name: WorkClaimRelease :exec
delete from work_claim where kind = @kind and subject_id = @subject_id and user_id = @user_id;

-- WorkClaimEnd ends anybody's claim on what does not wait any more.
-- name: WorkClaimEnd :exec
delete from work_claim where kind = @kind and subject_id = @subject_id;

-- name: WorkClaimPrune :exec
delete from work_claim where since < @before;
