-- What operators do: proposals, what they move alone, what they read, and what they work on.

-- +goose Up

-- What one operator proposes and another one approves, which does exactly what the payload says.
create table proposal (
    id bigint generated always as identity primary key,
    action text not null check (action in ('fund_trader', 'withdraw_trader', 'correct', 'confirm_deposit',
        'set_insurance', 'set_rate', 'set_rate_feed', 'create_user', 'update_user', 'invite_user', 'set_acquirer',
        'create_requisite', 'set_cashbox_method', 'update_merchant', 'update_trader', 'resolve_appeal',
        'resolve_payin', 'reverse_payin')),
    payload jsonb not null,
    -- What it is about: 'trader' and an id, say.
    subject text not null,
    subject_key text not null,
    reason text not null check (length(reason) <= 500),
    proposed_by bigint not null references app_user,
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    -- Null: nobody has decided yet.
    decision text check (decision in ('approved', 'refused')),
    decided_by bigint references app_user,
    decided_at timestamptz,
    decision_reason text not null default '' check (length(decision_reason) <= 500),
    -- The row of the log of settings that an approval wrote, where it wrote one.
    change_id bigint,
    -- What of it is secret, sealed, until it is decided.
    secrets bytea,
    constraint proposal_decided check (
        (decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)
        and (change_id is null or decision = 'approved')
    ),
    -- Nobody approves what they proposed themselves, and nothing is decided too late.
    constraint proposal_second_operator check (decision is distinct from 'approved' or decided_by <> proposed_by),
    constraint proposal_in_time check (decided_at is null or decided_at < expires_at)
);
create index proposal_open_idx on proposal (id) where decision is null;
-- The log of the console reads by time.
create index proposal_created_idx on proposal (created_at, id);
create index proposal_decided_idx on proposal (decided_at, id) where decided_at is not null;

-- Only the decision is ever written into a proposal, and only once.
-- +goose StatementBegin
create function proposal_kept() returns trigger language plpgsql as $$
begin
    if old.decision is not null
        or (new.id, new.action, new.payload, new.subject, new.subject_key, new.reason, new.proposed_by, new.created_at, new.expires_at)
        is distinct from
        (old.id, old.action, old.payload, old.subject, old.subject_key, old.reason, old.proposed_by, old.created_at, old.expires_at)
    then
        raise exception 'a proposal stays as it was made and is decided once';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger proposal_kept before update on proposal for each row execute function proposal_kept();
create trigger proposal_append_only before delete or truncate on proposal
    for each statement execute function append_only();

-- USDT that one operator moved without a second one. What was moved in a day is bounded, and not only each movement.
create table operator_movement (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    operator_id bigint not null references app_user,
    -- Whose USDT they were: 'cashbox 7', say.
    owner text not null,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999)
);
create index operator_movement_operator_idx on operator_movement (operator_id, at);
create index operator_movement_owner_idx on operator_movement (owner, at);
create trigger operator_movement_append_only before update or delete or truncate on operator_movement
    for each statement execute function append_only();

-- Somebody read what is shown only to who asks for it, such as a whole requisite.
create table sensitive_read (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- Who read it, and by which login they signed in then.
    user_id bigint not null,
    login text not null,
    -- What kind of thing it is of, and which one.
    subject text not null,
    subject_key text not null,
    -- What of it was read, such as value.
    what text not null,
    request_id text not null
);
create index sensitive_read_subject_idx on sensitive_read (subject, subject_key, id);
create index sensitive_read_user_idx on sensitive_read (user_id, id);
-- The log of the console reads by time.
create index sensitive_read_at_idx on sensitive_read (at, id);
create trigger sensitive_read_append_only before update or delete or truncate on sensitive_read
    for each statement execute function append_only();

-- Who works on something that waits for operators.
create table work_claim (
    kind text not null,
    subject_id bigint not null,
    user_id bigint not null references app_user,
    since timestamptz not null,
    -- One operator at a time.
    primary key (kind, subject_id)
);
create index work_claim_since_idx on work_claim using brin (since);
