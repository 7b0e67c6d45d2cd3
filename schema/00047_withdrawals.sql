-- Withdrawals: USDT of a cashbox or a trader that leave for an address of theirs.

-- +goose Up

-- What a withdrawal by a network costs, and how much may leave by it. Nothing leaves by a network without a row.
create table withdrawal_terms (
    network text primary key,
    enabled boolean not null,
    -- In USDT, as all amounts here.
    fee numeric(14, 2) not null check (fee between 0 and 1000),
    min_amount numeric(14, 2) not null check (min_amount between 0.01 and 999999999999.99),
    -- What one merchant or trader may have leave on one day, in UTC.
    daily_amount numeric(14, 2) not null check (daily_amount between min_amount and 999999999999.99)
);

-- An address of a merchant or trader, in their address book.
create table withdrawal_address (
    id bigint generated always as identity primary key,
    owner_kind text not null check (owner_kind in ('merchant', 'trader')),
    owner_id bigint not null,
    network text not null,
    -- As the network writes it, with its checksum.
    address text not null,
    label text not null check (length(label) between 1 and 100),
    -- Who: 'merchant_portal:12'.
    added_by text not null,
    added_at timestamptz not null,
    -- Until then it rests: nothing may be sent to it.
    usable_at timestamptz not null,
    removed_at timestamptz
);
create unique index withdrawal_address_once_idx on withdrawal_address (owner_kind, owner_id, network, address)
    where removed_at is null;

-- A list of what is to be paid, as it was handed to the signer outside.
create table withdrawal_hand_over (
    id bigint primary key,
    created_at timestamptz not null,
    -- Who: 'operator:1'.
    created_by text not null,
    count integer not null check (count > 0),
    amount numeric(28, 8) not null check (amount > 0),
    -- The signed document, byte for byte.
    document text not null
);
create sequence withdrawal_hand_over_id_seq owned by withdrawal_hand_over.id;
create trigger withdrawal_hand_over_append_only before update or delete or truncate on withdrawal_hand_over
    for each statement execute function append_only();

-- A withdrawal.
create table withdrawal (
    id bigint generated always as identity primary key,
    owner_kind text not null check (owner_kind in ('merchant', 'trader')),
    owner_id bigint not null,
    -- The cashbox that pays; null: the trader does.
    cashbox_id bigint,
    -- The owner's own id of it, which is good for one withdrawal, for good.
    order_id text not null,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999),
    fee numeric(28, 8) not null check (fee between 0 and 1000),
    network text not null references withdrawal_terms,
    address_id bigint not null references withdrawal_address,
    address text not null,
    -- Where events go; empty: they are in the feed alone.
    callback_uri text not null,
    status text not null default 'requested'
        check (status in ('requested', 'approved', 'handed_over', 'completed', 'rejected', 'failed', 'cancelled')),
    status_reason text,
    created_at timestamptz not null,
    status_at timestamptz not null,
    -- The number of the last webhook event.
    event_sequence integer not null default 0,
    -- The only list that it is in.
    hand_over_id bigint references withdrawal_hand_over,
    -- The transaction that pays it, as the signer told.
    transaction_hash text,
    -- Why it waits for operators: what was seen on the chain is not what was to be paid.
    mismatch text,
    -- The id of the request, and the address it came from.
    request_id text,
    request_address text,
    unique (owner_kind, owner_id, order_id),
    constraint withdrawal_owner check ((owner_kind = 'merchant') = (cashbox_id is not null)),
    constraint withdrawal_handed_over check ((status in ('handed_over', 'completed', 'failed')) = (hand_over_id is not null)),
    constraint withdrawal_paid check (status <> 'completed' or transaction_hash is not null),
    constraint withdrawal_hash check (transaction_hash is null or hand_over_id is not null)
);
create index withdrawal_owner_idx on withdrawal (owner_kind, owner_id, id);
create index withdrawal_owner_status_idx on withdrawal (owner_kind, owner_id, status, id);
create index withdrawal_status_idx on withdrawal (status, id);
-- What an owner had leave by a network on a day.
create index withdrawal_day_idx on withdrawal (owner_kind, owner_id, network, created_at);
create index withdrawal_hand_over_idx on withdrawal (hand_over_id) where hand_over_id is not null;
-- One transaction pays one withdrawal.
create unique index withdrawal_hash_idx on withdrawal (network, transaction_hash) where transaction_hash is not null;
-- Alarms ask for what has waited too long, once a minute.
create index withdrawal_waiting_idx on withdrawal (status_at) where status in ('requested', 'approved', 'handed_over');

-- A change of a withdrawal's status, the first of which is its creation.
create table withdrawal_history (
    withdrawal_id bigint not null references withdrawal,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'key:12', 'trader:3', 'operator:1', 'system'.
    actor text not null,
    -- Null at the creation.
    from_status text,
    to_status text not null,
    reason text,
    primary key (withdrawal_id, id)
);
create trigger withdrawal_history_append_only before update or delete or truncate on withdrawal_history
    for each statement execute function append_only();

alter table proposal drop constraint proposal_action_check, add constraint proposal_action_check check (action in (
    'fund_trader', 'withdraw_trader', 'correct', 'confirm_deposit', 'set_insurance', 'set_rate', 'set_rate_feed',
    'create_user', 'update_user', 'invite_user', 'set_acquirer', 'create_requisite', 'set_cashbox_method',
    'update_merchant', 'update_trader', 'resolve_appeal', 'decide_case', 'resolve_payin', 'reverse_payin', 'set_receiving',
    'set_withdrawal_terms', 'approve_withdrawal', 'complete_withdrawal', 'fail_withdrawal')) not valid;
alter table proposal validate constraint proposal_action_check;

-- Fees of withdrawals are the platform's as well. A trader's belong to no merchant.
create or replace view income_moved as
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount as earned, 0::numeric(28, 8) as reversed
from transfer t join payment p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount
from transfer t join payment p on p.id = t.subject_id
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount, 0::numeric(28, 8)
from transfer t join payin p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payin'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount
from transfer t join payin p on p.id = t.subject_id
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payin'
union all
select t.created_at, t.subject, t.subject_id, case when w.cashbox_id is null then 0 else w.owner_id end, w.network, 'USDT',
    t.amount, 0::numeric(28, 8)
from transfer t join withdrawal w on w.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2
    and t.subject = 'withdrawal';
