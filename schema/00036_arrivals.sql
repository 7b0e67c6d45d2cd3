-- +goose NO TRANSACTION
-- Money that came otherwise than it was asked for: another amount, in parts, or for no payment at all.

-- +goose Up
set lock_timeout = 0;

-- An amount that came to a trader. What came exactly as a payment asks for it is none of these.
create table if not exists arrival (
    id bigint generated always as identity primary key,
    trader_id bigint not null,
    requisite_id bigint not null,
    currency text not null,
    amount numeric(14, 2) not null check (amount between 0.01 and 999999999999.99),
    came_at timestamptz not null,
    -- Who sent it, and what the trader says of it.
    payer text not null,
    note text not null,
    -- The message of a bank that tells of it; null: a person does.
    message_id bigint constraint arrival_message unique,
    actor text not null,
    created_at timestamptz not null,
    -- Free belongs to no payment, kept counts towards one, returned went back to its payer.
    state text not null check (state in ('free', 'kept', 'returned')),
    -- The payment it counts towards, or that it was for before it became free.
    merchant_id bigint,
    payment_id bigint,
    -- The payout that returns it.
    payin_uuid uuid,
    constraint arrival_payment check ((merchant_id is null) = (payment_id is null) and (state = 'free' or payment_id is not null)
        and (state = 'returned') = (payin_uuid is not null))
);
drop index concurrently if exists arrival_payment_idx;
create index concurrently arrival_payment_idx on arrival (payment_id, id) where payment_id is not null;
drop index concurrently if exists arrival_trader_idx;
create index concurrently arrival_trader_idx on arrival (trader_id, id);
-- What is offered for a payment.
drop index concurrently if exists arrival_free_idx;
create index concurrently arrival_free_idx on arrival (requisite_id, amount, id) where state = 'free';

alter table payin
    -- The payment whose money the trader sends back. It is held from the trader, not from the cashbox: they have what came.
    add column if not exists return_of bigint;

alter table payment_step drop constraint if exists payment_step_what_check;
alter table payment_step add constraint payment_step_what_check check (what in (
    'page_opened', 'card_entered', 'code_requested', 'code_resent', 'code_entered', 'code_not_needed', 'time_given_back',
    'bank_message', 'money_came', 'case_decided')) not valid;

-- Payments of which another amount came and nobody has decided, in the order of their ends.
drop index concurrently if exists payment_case_idx;
create index concurrently payment_case_idx on payment (expires_at, id) where status = 'appeal' and received_amount is not null;

-- A payment is confirmed by one message at most, unless each is about a part of it.
drop index concurrently if exists bank_message_payment;
create unique index concurrently bank_message_payment on bank_message (payment_id)
    where state in ('confirmed', 'assigned', 'objected') and why <> 'part';
