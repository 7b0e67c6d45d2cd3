-- What banks write to traders' phones: which phones forward it, what it was, and which payments it confirmed.

-- +goose Up

-- A phone that forwards the messages of banks.
create table bank_device (
    id bigint primary key,
    trader_id bigint not null,
    -- As its trader calls it.
    name text not null,
    -- Which key a call is signed with.
    key_id text not null constraint bank_device_key unique,
    -- What it signs with. Sealed; associated data: bank_device, secret, id.
    secret bytea not null,
    created_at timestamptz not null,
    -- When a message of it last came; null: never.
    heard_at timestamptz,
    -- Since when nothing is taken from it; null: it may send.
    revoked_at timestamptz
);
create sequence bank_device_id_seq owned by bank_device.id;
create index bank_device_trader_idx on bank_device (trader_id, id);

-- What messages do for a requisite. One without a row has no messages.
create table requisite_message (
    requisite_id bigint primary key,
    trader_id bigint not null,
    -- The phone and the bank whose messages are about it, and the last four digits of the account if that bank has several.
    device_id bigint not null,
    bank text not null,
    account text check (account ~ '^[0-9]{4}$'),
    -- Shadow: what would have been done is kept and compared with what the trader did.
    mode text not null check (mode in ('off', 'shadow', 'on')),
    -- More than this a person confirms always.
    most numeric(14, 2) not null check (most between 0 and 999999999999.99),
    -- Since when it has this mode.
    since timestamptz not null,
    -- The message that a later one contradicted: until somebody has looked, nothing is confirmed by itself. Null: all is well.
    stopped_by bigint
);
create index requisite_message_trader_idx on requisite_message (trader_id, requisite_id);
create index requisite_message_device_idx on requisite_message (device_id);

-- A message of a bank. Those with one-time codes are never here.
create table bank_message (
    id bigint primary key,
    trader_id bigint not null,
    device_id bigint not null,
    -- The phone's own id of it: a repeat has the same.
    message_id text not null,
    kind text not null check (kind in ('sms', 'push')),
    sender text not null,
    -- Sealed; associated data: bank_message, text, id. Null: it was removed after its time.
    text bytea,
    received_at timestamptz not null,
    arrived_at timestamptz not null,
    -- What was read of it.
    says text not null check (says in ('incoming', 'outgoing', 'declined', 'balance', 'advertisement', 'unknown')),
    pattern text not null,
    bank text not null,
    currency text not null,
    account text not null,
    amount numeric(14, 2),
    balance numeric(14, 2),
    -- What was done: new is inside the transaction that takes it, noted needs nothing, waiting needs a person, shadow would have confirmed, confirmed has.
    state text not null check (state in ('new', 'noted', 'waiting', 'shadow', 'confirmed', 'assigned', 'dismissed', 'objected')),
    -- Why a person is needed, or what it repeats.
    why text not null default '',
    -- By how much the balance differs from what the message before it leads to; null where that is not known.
    gap numeric(15, 2),
    -- Its balance follows from a trusted one before it, or a person has confirmed a payment by it. Who forges two messages, of which
    -- the second follows from the first, has none of these.
    trusted boolean not null default false,
    requisite_id bigint,
    merchant_id bigint,
    payment_id bigint,
    decided_at timestamptz,
    -- Who decided: message, or a trader.
    decided_by text,
    constraint bank_message_once unique (device_id, message_id)
);
create sequence bank_message_id_seq owned by bank_message.id;
-- A payment is confirmed by one message at most.
create unique index bank_message_payment on bank_message (payment_id) where state in ('confirmed', 'assigned', 'objected');
create index bank_message_trader_idx on bank_message (trader_id, id);
create index bank_message_waiting_idx on bank_message (trader_id, id) where state = 'waiting';
create index bank_message_unknown_idx on bank_message (id) where says = 'unknown';
create index bank_message_objected_idx on bank_message (id) where state = 'objected';
create index bank_message_chain_idx on bank_message (device_id, bank, account, received_at, id) where balance is not null;
create index bank_message_same_idx on bank_message (device_id, amount, received_at) where says = 'incoming';
create index bank_message_requisite_idx on bank_message (requisite_id, id) where requisite_id is not null;
create index bank_message_text_idx on bank_message (arrived_at) where text is not null;

insert into rate_limit (name, calls, per_seconds) values
    -- Messages of one phone: one that was away sends many at once.
    ('device', 300, 60);

alter table payment_step drop constraint payment_step_what_check, add constraint payment_step_what_check check (what in (
    'page_opened', 'card_entered', 'code_requested', 'code_resent', 'code_entered', 'code_not_needed', 'time_given_back',
    'bank_message')) not valid;

create or replace view sealed_value as
select place, encode(substring(value from 2 for 4), 'hex') as fingerprint from (
    select 'cashbox.webhook_secret' as place, webhook_secret as value from cashbox
    union all select 'webhook_secret_previous.secret', secret from webhook_secret_previous
    union all select 'app_user.totp_secret', totp_secret from app_user
    union all select 'session.totp_pending', totp_pending from session
    union all select 'payin.address', address from payin
    union all select 'payment_card.pan', pan from payment_card
    union all select 'payment_card.expiry', expiry from payment_card
    union all select 'payment_card.holder', holder from payment_card
    union all select 'trader_acquirer.secret', secret from trader_acquirer
    union all select 'card_hash_key.key', key from card_hash_key
    union all select 'requisite.sealed', sealed from requisite
    union all select 'proposal.secrets', secrets from proposal
    union all select 'bank_device.secret', secret from bank_device
    union all select 'bank_message.text', text from bank_message
    union all select 'payment.requisite_sealed', requisite_sealed from payment
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;
