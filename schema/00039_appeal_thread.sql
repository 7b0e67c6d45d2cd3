-- What operators and a payment's trader write to each other about an appeal.

-- +goose Up

-- How much was written about an appeal, and how much of it has not been read. An appeal without a row has nothing.
create table appeal_thread (
    appeal_id bigint primary key,
    -- Who has the payment, and may read.
    trader_id bigint not null,
    messages integer not null check (messages between 1 and 100),
    last_at timestamptz not null,
    trader_unread integer not null check (trader_unread >= 0),
    operator_unread integer not null check (operator_unread >= 0)
);
create index appeal_thread_trader_idx on appeal_thread (trader_id, appeal_id);
create index appeal_thread_trader_unread_idx on appeal_thread (trader_id) where trader_unread > 0;
create index appeal_thread_operator_unread_idx on appeal_thread (last_at) where operator_unread > 0;

create table appeal_message (
    appeal_id bigint not null,
    -- 1, 2, and so on in its appeal.
    number integer not null,
    user_id bigint not null,
    from_trader boolean not null,
    -- In the clear, as reasons are: text that may hold a card number is refused.
    text text not null check (char_length(text) between 1 and 1000),
    created_at timestamptz not null,
    primary key (appeal_id, number)
);
create trigger appeal_message_append_only before update or delete or truncate on appeal_message
    for each statement execute function append_only();
