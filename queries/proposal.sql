-- ProposalTurn has the same proposal made twice at a time wait for itself.
-- name: ProposalTurn :exec
select pg_advisory_xact_lock(hashtextextended('proposal ' || @what::text, 0));

-- ProposalSame finds an open proposal of the same by the same operator.
-- name: ProposalSame :one
select id from proposal
where decision is null and expires_at > @now::timestamptz and action = @action and payload = @payload::jsonb and proposed_by = @proposed_by
order by id limit 1;

-- name: ProposalInsert :one
insert into proposal (action, payload, subject, subject_key, reason, proposed_by, created_at, expires_at)
values (@action, @payload, @subject, @subject_key, @reason, @proposed_by, @created_at, @expires_at)
returning id;

-- name: ProposalGet :one
select sqlc.embed(p), a.login as proposer, d.login as decider
from proposal p join app_user a on a.id = p.proposed_by left join app_user d on d.id = p.decided_by
where p.id = @id;

-- ProposalList lists proposals, newest first; of the open ones those that can still be decided.
-- name: ProposalList :many
select sqlc.embed(p), a.login as proposer, d.login as decider
from proposal p join app_user a on a.id = p.proposed_by left join app_user d on d.id = p.decided_by
where p.id < @before_id and (not @open::boolean or p.decision is null and p.expires_at > @now::timestamptz)
order by p.id desc limit @page;

-- ProposalLock has decisions on one proposal wait for one another.
-- name: ProposalLock :one
select * from proposal where id = @id for no key update;

-- name: ProposalDecide :exec
update proposal set decision = @decision, decided_by = @decided_by, decided_at = @decided_at, decision_reason = @decision_reason,
    change_id = @change_id
where id = @id;

-- ProposalOperator is the role of an operator who is not switched off. The role stays until the transaction ends.
-- name: ProposalOperator :one
select role from app_user where id = @id and kind = 'operator' and enabled for share;

-- ProposalOthers counts the operators beside one who have one of the roles and can sign in.
-- name: ProposalOthers :one
select count(*) from app_user
where kind = 'operator' and enabled and password_hash is not null and role = any(@roles::text[]) and id <> @id;
