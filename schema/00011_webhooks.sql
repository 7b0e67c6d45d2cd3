-- Webhooks: the events that merchants are told of, and how each is delivered.

-- +goose Up

-- An event. It has partitions of months, as transfer has, but by its id. A relay numbers events once they are committed, in the
-- order in which everybody sees them, and queues their deliveries; a merchant's feed goes by that number.
create table webhook_event (
    merchant_id bigint not null,
    id uuid not null,
    cashbox_id bigint not null,
    type text not null,
    -- What the event is about: 'payment' and its id; sequence counts its events without gaps.
    subject text not null,
    subject_id bigint not null,
    sequence integer not null,
    url text not null,
    body bytea not null,
    created_at timestamptz not null,
    status text not null default 'pending' constraint webhook_event_status_check check (status in ('pending', 'delivered', 'dead')),
    -- An event has its number, and is in the feed, from when it was relayed.
    number bigint,
    -- How often the event was sent again by hand. A delivery belongs to one round: those of rounds gone by do nothing.
    round integer not null default 0
) partition by range (id);
create index webhook_event_status_idx on webhook_event (merchant_id, status, number) where number is not null;
-- Everybody's dead events, and a merchant's.
create index webhook_event_dead_idx on webhook_event (number) where status = 'dead';
create index webhook_event_dead_merchant_idx on webhook_event (merchant_id, number) where status = 'dead';

-- The ids of events begin with the time at which they were made, in milliseconds: they are UUIDs of version 7. So a month is a
-- range of ids, and who looks for an event by its id looks in one partition.
create function event_id_from(at timestamptz) returns uuid language sql immutable as $$
    select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

create table webhook_event_other partition of webhook_event (
    primary key (merchant_id, id), constraint webhook_event_other_sequence unique (merchant_id, subject, subject_id, sequence)
) default;
create unique index webhook_event_other_feed_idx on webhook_event_other (merchant_id, number) where number is not null;
-- +goose StatementBegin
do $$
begin
    execute format('create table webhook_event_first partition of webhook_event (
            primary key (merchant_id, id), constraint webhook_event_first_sequence unique (merchant_id, subject, subject_id, sequence)
        ) for values from (minvalue) to (%L)', event_id_from(date_trunc('month', now(), 'UTC') + interval '2 months'));
end $$;
-- +goose StatementEnd
create unique index webhook_event_first_feed_idx on webhook_event_first (merchant_id, number) where number is not null;

-- A request by which an event was to be delivered. It has partitions of months, as transfer has.
create sequence webhook_attempt_id_seq;
create table webhook_attempt (
    merchant_id bigint not null,
    event_id uuid not null,
    id bigint not null default nextval('webhook_attempt_id_seq'),
    at timestamptz not null,
    duration_ms integer not null,
    -- Null when no answer came.
    status_code integer,
    -- The first 2 KiB of the answer.
    answer bytea,
    -- Why no answer came, in words fit for the merchant.
    error text
) partition by range (at);
alter sequence webhook_attempt_id_seq owned by webhook_attempt.id;

create table webhook_attempt_other partition of webhook_attempt (primary key (merchant_id, event_id, id)) default;
-- +goose StatementBegin
do $$
begin
    execute format('create table webhook_attempt_first partition of webhook_attempt (primary key (merchant_id, event_id, id))
        for values from (minvalue) to (%L)', date_trunc('month', now(), 'UTC') + interval '2 months');
end $$;
-- +goose StatementEnd

-- An event that is still to be relayed, in the order in which they were written. Rows come and go, so the table is apart from
-- webhook_event, where an index of these few would keep an entry of every event until all of that was vacuumed.
create table webhook_outbox (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    event_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- One row: who holds its lock relays, and its number is the last one given to an event.
create table webhook_relay (
    only_row boolean primary key default true check (only_row),
    last_number bigint not null
);
insert into webhook_relay (last_number) values (0);

-- A delivery still to be made: there is one for each pending event that has been relayed, gone once it is delivered or given up.
-- This table and the next go by the database's own clock, and a lease or a delay lasts as long as it says.
create table webhook_delivery (
    merchant_id bigint not null,
    event_id uuid not null,
    -- Host and port of the event's address. With the merchant they make the endpoint: merchants who share a host share nothing else.
    host text not null,
    -- When the next attempt is due.
    due_at timestamptz not null,
    -- How many attempts were made in this round of the event.
    attempts integer not null default 0,
    round integer not null,
    primary key (merchant_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index webhook_delivery_due_idx on webhook_delivery (merchant_id, host, due_at, event_id);

-- An endpoint that has, or had, deliveries to be made. One process at a time works an endpoint: it takes a lease, and reads the
-- endpoint's deliveries without a lock or a mark.
create table webhook_endpoint (
    merchant_id bigint not null,
    host text not null,
    -- When there is something to do. While the endpoint is leased this is the end of the lease, or earlier if more has come.
    due_at timestamptz not null,
    leased_until timestamptz not null default '-infinity',
    holder uuid,
    -- The last attempt had no answer.
    slow boolean not null default false,
    primary key (merchant_id, host)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index webhook_endpoint_due_idx on webhook_endpoint (slow, greatest(due_at, leased_until));

-- A range of dead events that is sent again, a batch at a time as the endpoint takes them.
create table webhook_replay (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    url text not null,
    -- By when the events were created; null leaves that end open.
    from_at timestamptz,
    until_at timestamptz,
    -- Numbers of events: how far it has come, and the last there was when it began.
    after_number bigint not null default 0,
    last_number bigint not null,
    replayed bigint not null default 0,
    state text not null default 'running' check (state in ('running', 'done', 'stopped')),
    started_at timestamptz not null
);
create index webhook_replay_running_idx on webhook_replay (id) where state = 'running';

-- A secret of a cashbox that was replaced within the last day and signs besides the newest. All of them do, not only the last:
-- whoever rotates twice, say because the answer to the first call was lost, is still using the one before both.
create table webhook_secret_previous (
    id bigint generated always as identity primary key,
    cashbox_id bigint not null references cashbox,
    -- Sealed as it was for cashbox.webhook_secret.
    secret bytea not null,
    until timestamptz not null
);
create index webhook_secret_previous_cashbox on webhook_secret_previous (cashbox_id);

-- An event that names the holder of a payment's card. The card's own name is sealed and erased, so that of the event has to go as
-- well: the program takes it out once the event is settled and the card is erased.
create table webhook_holder (
    merchant_id bigint not null,
    event_id uuid not null,
    payment_id bigint not null,
    primary key (merchant_id, event_id)
);
