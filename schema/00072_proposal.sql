-- What takes a second operator, transfers by which books are put right, and how feeds of rates do.

-- +goose Up
-- What one operator proposes and another one approves, which does exactly what the payload says.
create table proposal (
    id bigint generated always as identity primary key,
    action text not null
        check (action in ('fund_trader', 'withdraw_trader', 'correct', 'confirm_deposit', 'set_insurance', 'set_rate')),
    payload jsonb not null,
    -- What it is about: 'trader' and an id, say.
    subject text not null,
    subject_key text not null,
    reason text not null check (length(reason) <= 500),
    proposed_by bigint not null references app_user,
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    decision text check (decision in ('approved', 'refused')),
    decided_by bigint references app_user,
    decided_at timestamptz,
    decision_reason text not null default '' check (length(decision_reason) <= 500),
    -- The row of the log of settings that an approval wrote, where it wrote one.
    change_id bigint,
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

-- A transfer between two accounts by hand. Only available money: what is reserved is what is open.
create table correction (
    id bigint generated always as identity primary key,
    -- Nothing is moved twice under one reference.
    reference text not null unique,
    debit_account bigint not null references account,
    credit_account bigint not null references account,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999),
    reason text not null check (length(reason) between 1 and 500),
    created_at timestamptz not null,
    constraint correction_accounts check (debit_account <> credit_account and debit_account & 1 = 0 and credit_account & 1 = 0)
);
create trigger correction_append_only before update or delete or truncate on correction
    for each statement execute function append_only();

alter table rate_feed
    -- When it last brought a value that was believed, when it last brought none, and how often in a row it has brought none.
    add column good_at timestamptz,
    add column failed_at timestamptz,
    add column failures integer not null default 0,
    -- What was wrong the last time that something was.
    add column last_error text;

-- What was in use before a rate was set by hand, for as long as it says how far the next one may be set.
create table rate_anchor (
    id bigint generated always as identity primary key,
    currency text not null,
    at timestamptz not null,
    fiat_per_usdt numeric(20, 8) not null
);
create index rate_anchor_currency_idx on rate_anchor (currency, id);
