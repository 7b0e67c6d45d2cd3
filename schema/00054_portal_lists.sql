-- What the portals show of payments and payouts beside what they are: who asked for them, how the requisite was chosen, what
-- the payer did, and lists by day and by status.

-- +goose Up
alter table payment
    -- The id of the creation's request, and the address it came from.
    add column request_id text,
    add column request_address text,
    -- How many requisites of the pool could be given payments at all, and how many were looked at before this one was taken.
    add column choice_pool integer,
    add column choice_looked integer;

alter table payin
    add column request_id text,
    add column request_address text;

-- What was done about a payment beside its changes of status. It holds no secret, and of a card its last four digits.
create table payment_step (
    merchant_id bigint not null,
    payment_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who: 'payer', 'trader:3', 'key:12'.
    actor text not null,
    what text not null check (what in
        ('page_opened', 'card_entered', 'code_requested', 'code_resent', 'code_entered', 'code_not_needed')),
    detail jsonb not null default '{}',
    primary key (merchant_id, payment_id, id)
);
create trigger payment_step_append_only before update or delete or truncate on payment_step
    for each statement execute function append_only();

-- The lowest id of what was created on a day, in UTC, or later. Lists by date read no row outside their days by it.
create table day_first_id (
    subject text not null check (subject in ('payment', 'payin')),
    day date not null,
    first_id bigint not null,
    primary key (subject, day)
);
insert into day_first_id (subject, day, first_id)
select 'payment', day, min(first_id) over (order by day desc)
from (select (created_at at time zone 'UTC')::date as day, min(id) as first_id from payment group by 1) days;
insert into day_first_id (subject, day, first_id)
select 'payin', day, min(first_id) over (order by day desc)
from (select (created_at at time zone 'UTC')::date as day, min(id) as first_id from payin group by 1) days;

-- A merchant's pending payments, in the order of a list.
drop index payment_open_idx;
create index payment_open_idx on payment (merchant_id, id) where status = 'pending';
-- Lists of what did not simply complete. A creation does not write these.
create index payment_merchant_seldom_idx on payment (merchant_id, status, id) where status in ('failed', 'cancelled', 'appeal');
create index payment_seldom_idx on payment (status, id) where status in ('failed', 'cancelled', 'appeal');
create index payin_status_idx on payin (status, id);

-- What lists may find of a card.
create view payment_card_shown as select merchant_id as card_merchant_id, payment_id as card_payment_id, last4 from payment_card;
