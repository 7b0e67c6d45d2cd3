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

-- ProposalsOfTrader lists the requisites that a trader's users proposed, newest first.
-- name: ProposalsOfTrader :many
select p.* from proposal p join app_user a on a.id = p.proposed_by
where p.action = 'create_requisite' and p.subject_key = @trader::text and a.kind = 'trader'
order by p.id desc limit @page;

-- ProposalTrader tells of a trader's user whether they are switched on. That stays so until the transaction ends.
-- name: ProposalTrader :one
select enabled from app_user where id = @id and kind = 'trader' for share;

-- ProposalLock has decisions on one proposal wait for one another.
-- name: ProposalLock :one
select * from proposal where id = @id for no key update;

-- name: ProposalHide :exec
update proposal set secrets = @secrets where id = @id;

-- name: ProposalDecide :exec
update proposal set decision = @decision, decided_by = @decided_by, decided_at = @decided_at, decision_reason = @decision_reason,
    change_id = @change_id, secrets = null
where id = @id;

-- ProposalOperator is the role of an operator who is not switched off. The role stays until the transaction ends.
-- name: ProposalOperator :one
select role from app_user where id = @id and kind = 'operator' and enabled for share;

-- OperatorSetUp is when and by whom operators were set up.
-- name: OperatorSetUp :many
select id, set_up_at, set_up_by, set_up_alone from app_user where id = any(@ids::bigint[]);

-- OperatorDeciders counts the operators beside one who may decide what that one proposes: they have one of the roles, can sign in,
-- are not new, and neither of the two set the other up.
-- name: OperatorDeciders :one
select count(*) from app_user u
where u.kind = 'operator' and u.enabled and u.password_hash is not null and u.role = any(@roles::text[]) and u.id <> @id
    and (u.set_up_at is null or u.set_up_at <= @before::timestamptz) and u.set_up_by is distinct from @id
    and not exists (select from app_user own where own.id = @id and own.set_up_alone and own.set_up_by = u.id);

-- OperatorTwoDecide tells whether an operator there is may decide what another one there is proposes, by the same rule.
-- name: OperatorTwoDecide :one
with able as (
    select id, set_up_by, set_up_alone from app_user
    where kind = 'operator' and enabled and password_hash is not null and role = any(@roles::text[])
        and (set_up_at is null or set_up_at <= @before::timestamptz)
)
select exists (
    select 1 from able decider join able proposer on proposer.id <> decider.id
    where decider.set_up_by is distinct from proposer.id
        and not (proposer.set_up_alone and proposer.set_up_by is not distinct from decider.id)
);
