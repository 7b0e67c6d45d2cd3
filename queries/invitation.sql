-- InvitationPut invites a user: an earlier invitation of theirs is void.
-- name: InvitationPut :exec
insert into invitation (hash, user_id, created_at, expires_at, proposal_id)
values (@hash, @user_id, @created_at, @expires_at, sqlc.narg(proposal_id))
on conflict (user_id) do update set hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
    proposal_id = excluded.proposal_id;

-- InvitationGive puts another token into an open invitation that was approved, for the operator who proposed it.
-- name: InvitationGive :execrows
update invitation i set hash = @hash from proposal p
where i.user_id = @user_id and i.expires_at > @now and p.id = i.proposal_id and p.proposed_by = @proposed_by;

-- name: InvitationLogin :one
select u.login from invitation i join app_user u on u.id = i.user_id
where i.hash = @hash and i.expires_at > @now and u.enabled;

-- InvitationTake uses an invitation up.
-- name: InvitationTake :one
delete from invitation where hash = @hash and expires_at > @now returning user_id;

-- name: InvitationDelete :exec
delete from invitation where user_id = @user_id;

-- name: InvitationPrune :exec
delete from invitation where expires_at < @now;
