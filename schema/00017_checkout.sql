-- Card checkout: cards as they were entered, and where each payment's checkout stands.

-- +goose Up
-- The card entered for a payment. What the acquirer needs is sealed, and erased when the payment ends, unless it is kept
-- for the same payer's next payment.
create table payment_card (
    merchant_id bigint not null,
    payment_id bigint not null,
    cashbox_id bigint not null,
    -- Whose card it is; null: not to be kept.
    payer_user_id text,
    brand text not null,
    last4 text not null check (last4 ~ '^[0-9]{4}$'),
    -- Sealed; associated data: payment_card, the column, payment_id. Null: erased, or never given.
    pan bytea,
    expiry bytea,
    -- Sealed like the others, and erased with them.
    holder bytea,
    created_at timestamptz not null,
    -- Until when an ended payment's card is kept; null: it is not.
    kept_until timestamptz,
    primary key (merchant_id, payment_id),
    check ((pan is null) = (expiry is null)),
    check (kept_until is null or pan is not null)
);
create index payment_card_kept_idx on payment_card (merchant_id, cashbox_id, payer_user_id, payment_id)
    where kept_until is not null;

-- Which cards came from where, as keyed hashes: how many different ones an address has tried.
create table card_seen (
    -- Of cashbox and address.
    source bytea not null,
    -- Of the PAN.
    card bytea not null,
    at timestamptz not null,
    primary key (source, card)
);
create index card_seen_at_idx on card_seen (at);

-- A checkout without a row waits for its card.
create table checkout (
    merchant_id bigint not null,
    payment_id bigint not null,
    phase text not null check (phase in
        ('awaiting_payer_details', 'awaiting_trader_bank_sms', 'awaiting_payer_otp', 'awaiting_trader_confirm')),
    -- Whether a code was ever asked for with this card.
    code_asked boolean not null,
    codes_rejected integer not null check (codes_rejected >= 0),
    resends integer not null check (resends between 0 and 3),
    resent_by text check (resent_by in ('merchant', 'trader')),
    resent_at timestamptz,
    last_error text,
    -- The last attempt, and whether it came to an end. A payment that is pending after it waits for a card again.
    attempt_id uuid not null,
    attempt_over boolean not null,
    primary key (merchant_id, payment_id)
);

-- One try to have a card charged, by the id its acquirer knows it by.
create table card_attempt (
    merchant_id bigint not null,
    id uuid not null,
    payment_id bigint not null,
    trader_id bigint not null,
    -- authorising: the acquirer is just being asked, or was when the process ended. open: the acquirer has it.
    -- The others are ends.
    status text not null check (status in ('authorising', 'open', 'approved', 'declined', 'voided', 'lost', 'conflict')),
    -- The last code handed over, the last one the acquirer was told of a resend for, and up to which code we have
    -- followed its asking for (another) one: -1 is not at all.
    codes_sent integer not null default 0,
    resends_told integer not null default 0,
    codes_followed integer not null default -1,
    -- While a code is being handed over.
    submitting boolean not null default false,
    created_at timestamptz not null,
    polls integer not null default 0,
    -- When the acquirer is asked next how it stands.
    poll_at timestamptz not null,
    primary key (merchant_id, id)
);
create index card_attempt_due_idx on card_attempt (poll_at) where status in ('authorising', 'open');
create index card_attempt_payment_idx on card_attempt (merchant_id, payment_id);

-- What an operator must look into: the acquirer and the payment ended differently, and the money cannot be taken back.
create table card_conflict (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    payment_id bigint not null,
    attempt_id uuid not null,
    -- How each ended.
    payment_status text not null,
    attempt_state text not null,
    created_at timestamptz not null,
    closed_at timestamptz,
    closed_by text,
    unique (merchant_id, attempt_id)
);
create index card_conflict_open_idx on card_conflict (id) where closed_at is null;
