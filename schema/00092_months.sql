-- internal/db/month.go makes the partitions of the months to come. A partition has keys of its own, since a key of the whole
-- table would have to contain the time. Ids come from sequences: an identity column cannot be shared by partitions.

-- +goose Up
drop view income_moved;

-- Statements that read and write these tables wait here until all four are ready.
alter table transfer rename to transfer_first;
alter table transfer_first alter column id drop identity;
alter index transfer_pkey rename to transfer_first_pkey;
alter index transfer_created_idx rename to transfer_first_created_idx;
alter index transfer_id_idx rename to transfer_first_id_idx;
alter index transfer_debit_idx rename to transfer_first_debit_idx;
alter index transfer_credit_idx rename to transfer_first_credit_idx;
create sequence transfer_id_seq;
select setval('transfer_id_seq', (select coalesce(max(id), 0) + 1 from transfer_first), false);
create table transfer (
    id bigint not null default nextval('transfer_id_seq'),
    debit_account bigint not null,
    credit_account bigint not null,
    amount numeric(28, 8) not null,
    kind text not null,
    subject text not null,
    subject_id bigint not null,
    created_at timestamptz not null,
    constraint transfer_accounts check (debit_account <> credit_account),
    constraint transfer_amount check (amount >= 0.00000001 and amount <= 100000000000000000000)
) partition by range (created_at);
alter sequence transfer_id_seq owned by transfer.id;
create index transfer_created_idx on transfer using brin (created_at);
create index transfer_id_idx on transfer (id);
create index transfer_debit_idx on transfer ((debit_account >> 1), created_at, id);
create index transfer_credit_idx on transfer ((credit_account >> 1), created_at, id) where (debit_account >> 1) <> (credit_account >> 1);
create trigger transfer_append_only before update or delete or truncate on transfer
    for each statement execute function append_only();

alter table payment_history rename to payment_history_first;
alter table payment_history_first alter column id drop identity;
alter index payment_history_pkey rename to payment_history_first_pkey;
alter index payment_history_id_idx rename to payment_history_first_id_idx;
create sequence payment_history_id_seq;
select setval('payment_history_id_seq', (select coalesce(max(id), 0) + 1 from payment_history_first), false);
create table payment_history (
    merchant_id bigint not null,
    payment_id bigint not null,
    id bigint not null default nextval('payment_history_id_seq'),
    at timestamptz not null,
    actor text not null,
    from_status text,
    to_status text not null,
    reason text
) partition by range (at);
alter sequence payment_history_id_seq owned by payment_history.id;
create index payment_history_id_idx on payment_history (id);
create trigger payment_history_append_only before update or delete or truncate on payment_history
    for each statement execute function append_only();

alter table webhook_attempt rename to webhook_attempt_first;
alter table webhook_attempt_first alter column id drop identity;
alter index webhook_attempt_pkey rename to webhook_attempt_first_pkey;
create sequence webhook_attempt_id_seq;
select setval('webhook_attempt_id_seq', (select coalesce(max(id), 0) + 1 from webhook_attempt_first), false);
create table webhook_attempt (
    merchant_id bigint not null,
    event_id uuid not null,
    id bigint not null default nextval('webhook_attempt_id_seq'),
    at timestamptz not null,
    duration_ms integer not null,
    status_code integer,
    answer bytea,
    error text
) partition by range (at);
alter sequence webhook_attempt_id_seq owned by webhook_attempt.id;

alter table webhook_event rename to webhook_event_first;
alter index webhook_event_pkey rename to webhook_event_first_pkey;
alter index webhook_event_dead_idx rename to webhook_event_first_dead_idx;
alter index webhook_event_dead_merchant_idx rename to webhook_event_first_dead_merchant_idx;
alter index webhook_event_feed_idx rename to webhook_event_first_feed_idx;
alter index webhook_event_status_idx rename to webhook_event_first_status_idx;
alter table webhook_event_first rename constraint webhook_event_sequence to webhook_event_first_sequence;
create table webhook_event (
    merchant_id bigint not null,
    id uuid not null,
    cashbox_id bigint not null,
    type text not null,
    subject text not null,
    subject_id bigint not null,
    sequence integer not null,
    url text not null,
    body bytea not null,
    created_at timestamptz not null,
    status text not null default 'pending' constraint webhook_event_status_check check (status in ('pending', 'delivered', 'dead')),
    number bigint,
    round integer not null default 0
) partition by range (id);
create index webhook_event_dead_idx on webhook_event (number) where status = 'dead';
create index webhook_event_dead_merchant_idx on webhook_event (merchant_id, number) where status = 'dead';
create index webhook_event_status_idx on webhook_event (merchant_id, status, number) where number is not null;

-- What is in no month that has a partition, because its clock was ahead. Months to come are made like these.
create table transfer_other partition of transfer (primary key (subject_id, id)) default;
create trigger transfer_other_append_only before update or delete or truncate on transfer_other
    for each statement execute function append_only();
create table payment_history_other partition of payment_history (primary key (merchant_id, payment_id, id)) default;
create trigger payment_history_other_append_only before update or delete or truncate on payment_history_other
    for each statement execute function append_only();
create table webhook_attempt_other partition of webhook_attempt (primary key (merchant_id, event_id, id)) default;
create table webhook_event_other partition of webhook_event (
    primary key (merchant_id, id), constraint webhook_event_other_sequence unique (merchant_id, subject, subject_id, sequence)
) default;
create unique index webhook_event_other_feed_idx on webhook_event_other (merchant_id, number) where number is not null;

-- +goose StatementBegin
do $$
declare
    until timestamptz := (select f.until from month_first f);
begin
    -- The constraint stands where there are none: then nobody waits here until all ids have been read.
    if not exists (select from pg_constraint where conrelid = 'webhook_event_first'::regclass and conname = 'webhook_event_month') then
        with stray as (
            delete from webhook_event_first where id >= event_id_from(until) returning *
        )
        insert into webhook_event_other select * from stray;
    end if;
    execute format('alter table transfer attach partition transfer_first for values from (minvalue) to (%L)', until);
    execute format('alter table payment_history attach partition payment_history_first for values from (minvalue) to (%L)', until);
    execute format('alter table webhook_attempt attach partition webhook_attempt_first for values from (minvalue) to (%L)', until);
    execute format('alter table webhook_event attach partition webhook_event_first for values from (minvalue) to (%L)',
        event_id_from(until));
end $$;
-- +goose StatementEnd
alter table transfer_first drop constraint transfer_month;
alter table payment_history_first drop constraint payment_history_month;
alter table webhook_attempt_first drop constraint webhook_attempt_month;
alter table webhook_event_first drop constraint if exists webhook_event_month;
drop table month_first;

create view income_moved as
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
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payin';
