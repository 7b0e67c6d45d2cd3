-- Card checkout: the processors of traders, cards as they were entered, and where each payment's checkout stands.

-- +goose Up

-- A processor of a trader's by its address: the present one takes new cards, the others answer for the attempts they began. A
-- trader without one takes no cards outside a sandbox.
create table trader_acquirer (
    trader_id bigint not null references trader,
    url text not null,
    key_id text not null,
    -- Sealed; associated data: trader_acquirer, secret, trader_id.
    secret bytea not null,
    id bigint generated always as identity primary key,
    present boolean not null default true,
    constraint trader_acquirer_address unique (trader_id, url)
);
create unique index trader_acquirer_present_idx on trader_acquirer (trader_id) where present;

-- One row: the key of the hashes by which cards and requisites are told apart. It is apart from the vault's keys, so that a card does
-- not look new when another of those comes first.
create table card_hash_key (
    only_row boolean primary key default true check (only_row),
    -- Sealed; associated data: card_hash_key, key, 1.
    key bytea not null
);

-- The card entered for a payment. What the processor needs is sealed, and erased when the payment ends, unless it is kept for the
-- same payer's next payment.
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
-- A search for a card finds the payments by its last digits, whichever shards they are on.
create index payment_card_last4_idx on payment_card (last4, payment_id);

-- What lists may find of a card.
create view payment_card_shown as select merchant_id as card_merchant_id, payment_id as card_payment_id, last4 from payment_card;

-- Where a payment's checkout stands. One without a row waits for its card.
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
    -- How many cards were declined for the payment.
    declined smallint not null default 0,
    primary key (merchant_id, payment_id)
);

-- One try to have a card charged, by the id its processor knows it by.
create table card_attempt (
    merchant_id bigint not null,
    id uuid not null,
    payment_id bigint not null,
    trader_id bigint not null,
    -- authorising: the processor is just being asked, or was when the process ended. open: the processor has it.
    -- undoing: approved, and to be voided since, for the payment was taken back. The others are ends.
    status text not null check
        (status in ('authorising', 'open', 'undoing', 'approved', 'declined', 'voided', 'lost', 'conflict')),
    -- The last code handed over, the last one the processor was told of a resend for, and up to which code we have
    -- followed its asking for (another) one: -1 is not at all.
    codes_sent integer not null default 0,
    resends_told integer not null default 0,
    codes_followed integer not null default -1,
    -- While a code is being handed over.
    submitting boolean not null default false,
    created_at timestamptz not null,
    -- When the processor is asked next how it stands: less often the longer nothing happens.
    poll_at timestamptz not null,
    -- The trader_acquirer it began with, whatever the trader's processor is later; 0 is the sandbox's own.
    acquirer_id bigint not null,
    -- When something last happened to it: it began, a code was asked for or given, it was to be undone.
    progress_at timestamptz not null,
    -- Keyed hashes, of cashbox and address and of the PAN: what to count if the attempt is declined.
    source bytea,
    card bytea,
    primary key (merchant_id, id)
);
create index card_attempt_due_idx on card_attempt (trader_id, acquirer_id, poll_at)
    where status in ('authorising', 'open', 'undoing');
create index card_attempt_payment_idx on card_attempt (merchant_id, payment_id);

-- What an operator must look into: the processor and the payment ended differently, and the money cannot be taken back.
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
    closed_by text
);
create index card_conflict_open_idx on card_conflict (id) where closed_at is null;
-- What an operator has settled does not hide that the same attempt and its payment disagree once more.
create unique index card_conflict_attempt_idx on card_conflict (merchant_id, attempt_id) where closed_at is null;

-- A declined card and where it came from, as keyed hashes: how many different ones an address has tried. Only those that were
-- declined: behind one address may be many honest payers.
create table card_declined (
    -- Of cashbox and address.
    source bytea not null,
    -- Of the PAN.
    card bytea not null,
    at timestamptz not null,
    primary key (source, card)
);
create index card_declined_at_idx on card_declined (at);
