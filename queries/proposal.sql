-- ProposalTurn has the same proposal made twice at a time wait for itself.
-- name: ProposalTurn :exec
select pg_advisory_xact_lock(hashtextextended('proposal ' || @what::text, 0));

-- ProposalSame finds an open proposal of the same by the same operator.
-- name: ProposalSame :one
select * from proposal
where decision is null and expires_at > @now::timestamptz and action = @action and payload = @payload::jsonb and proposed_by = @proposed_by
order by id limit 1;

-- name: ProposalInsert :one
insert into proposal (action, payload, subject, subject_key, reason, proposed_by, created_at, expires_at)
values (@action, @payload, @subject, @subject_key, @reason, @proposed_by, @created_at, @expires_at)
returning id;

-- ProposalGet reads a proposal, and whom its approval invited, while the invitation is open, and whether that takes a code.
-- name: ProposalGet :one
select sqlc.embed(p), a.login as proposer, d.login as decider, i.user_id as invited, (i.code_hash is not null)::boolean as coded
from proposal p join app_user a on a.id = p.proposed_by left join app_user d on d.id = p.decided_by
left join invitation i on i.proposal_id = p.id and i.expires_at > @now
where p.id = @id;

-- ProposalList lists proposals, newest first; of the open ones those that can still be decided.
-- name: ProposalList :many
select sqlc.embed(p), a.login as proposer, d.login as decider
from proposal p join app_user a on a.id = p.proposed_by left join app_user d on d.id = p.decided_by
where p.id < @before_id and (not @open::boolean or p.decision is null and p.expires_at > @now::timestamptz)
order by p.id desc limit @page;

-- ProposalsOfTrader lists the requisites that a trader's users proposed, newest first.
-- name: ProposalsOfTrader :many
select p.* from proposal p join app_user a on a.id = p.proposed_by
where p.action = 'create_requisite' and p.subject_key = @trader::text and a.kind = 'trader'
order by p.id desc limit @page;

-- ProposalTrader reads of a trader's user whether they are switched on and nobody has set them up since a time, and their role.
-- That stays so until the transaction ends.
-- name: ProposalTrader :one
select (enabled and (set_up_at is null or set_up_at <= @since::timestamptz))::boolean as still, coalesce(role, '')::text as role
from app_user where id = @id and kind = 'trader' for share;

-- ProposalLock has decisions on one proposal wait for one another.
-- name: ProposalLock :one
select * from proposal where id = @id for no key update;

-- name: ProposalHide :exec
update proposal set secrets = @secrets where id = @id;

-- name: ProposalDecide :exec
update proposal set decision = @decision, decided_by = @decided_by, decided_at = @decided_at, decision_reason = @decision_reason,
    change_id = @change_id, secrets = null
where id = @id;

-- ProposalOperator is the role of an operator who is not switched off and whom nobody has set up since a time, if one is given. The
-- role stays until the transaction ends.
-- name: ProposalOperator :one
select role from app_user
where id = @id and kind = 'operator' and enabled and coalesce(set_up_at <= sqlc.narg(since)::timestamptz, true) for share;

-- OperatorDeciders counts the operators beside one who may decide what that one proposes: they have one of the roles, can sign in,
-- are not new, neither of the two set the other up, and not both were set up by one alone. With a decider it counts only that one.
-- What a trader's user proposes is decided by the same rule.
-- name: OperatorDeciders :one
select count(*) from app_user d join app_user p on p.id = @id and p.id <> d.id
where d.kind = 'operator' and d.enabled and d.password_hash is not null and d.role = any(@roles::text[])
    and (d.set_up_at is null or d.set_up_at <= @before::timestamptz)
    and (d.set_up_by = p.id or p.set_up_by = d.id or d.set_up_alone and p.set_up_alone and p.kind = 'operator') is not true
    and (sqlc.narg(decider)::bigint is null or d.id = sqlc.narg(decider));

-- OperatorTwoDecide tells whether an operator there is may decide what another one there is proposes, by the same rule.
-- name: OperatorTwoDecide :one
with able as (
    select id, set_up_by, set_up_alone from app_user
    where kind = 'operator' and enabled and password_hash is not null and role = any(@roles::text[])
        and (set_up_at is null or set_up_at <= @before::timestamptz)
)
select exists (
    select from able d join able p on p.id <> d.id
    where (d.set_up_by = p.id or p.set_up_by = d.id or d.set_up_alone and p.set_up_alone) is not true
);
