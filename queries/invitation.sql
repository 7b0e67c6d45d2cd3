-- InvitationPut invites a user: an earlier invitation of theirs is void.
-- name: InvitationPut :exec
insert into invitation (hash, user_id, created_at, expires_at, invited_by, proposal_id, code_hash)
values (@hash, @user_id, @created_at, @expires_at, @invited_by::bigint, sqlc.narg(proposal_id), sqlc.narg(code_hash))
on conflict (user_id) do update set hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
    invited_by = excluded.invited_by, proposal_id = excluded.proposal_id, code_hash = excluded.code_hash, wrong_codes = 0;

-- InvitationGive puts another token into an open invitation that was approved, for the operator who proposed it.
-- name: InvitationGive :execrows
update invitation i set hash = @hash from proposal p
where i.user_id = @user_id and i.expires_at > @now and p.id = i.proposal_id and p.proposed_by = @proposed_by;

-- InvitationRecode puts another code into an open invitation that takes one, for the operator who approved it.
-- name: InvitationRecode :execrows
update invitation i set code_hash = @code_hash from proposal p
where i.user_id = @user_id and i.expires_at > @now and i.code_hash is not null and p.id = i.proposal_id and p.id = @proposal_id
    and p.decided_by = @decided_by;

-- InvitationOf is whom an open invitation is for, and who approved it if it takes a code.
-- name: InvitationOf :one
select u.login, d.login as approver from invitation i join app_user u on u.id = i.user_id
left join proposal p on p.id = i.proposal_id and i.code_hash is not null left join app_user d on d.id = p.decided_by
where i.hash = @hash and i.expires_at > @now and u.enabled;

-- InvitationLock has those who accept an invitation at a time wait for one another.
-- name: InvitationLock :one
select user_id, code_hash from invitation where hash = @hash and expires_at > @now for update;

-- InvitationWrong counts a wrong code, and tells how many there were.
-- name: InvitationWrong :one
update invitation set wrong_codes = wrong_codes + 1 where user_id = @user_id returning wrong_codes;

-- name: InvitationDelete :exec
delete from invitation where user_id = @user_id;

-- InvitationEndBy ends the open invitations that a user made, and those that they proposed: they have the links of these.
-- name: InvitationEndBy :exec
delete from invitation
where invited_by = @user_id::bigint or proposal_id in (select p.id from proposal p where p.proposed_by = @user_id::bigint);

-- name: InvitationPrune :exec
delete from invitation where expires_at < @now;
