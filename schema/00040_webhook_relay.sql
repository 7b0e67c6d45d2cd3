-- A relay numbers events once they are committed, in the order in which everybody sees them, and queues their deliveries.
-- So the feed goes by that number alone. It went by transaction ids, which mean nothing in a restored database, and it
-- stood still while any transaction of the server was open. Cursors of that feed are refused from now on.

-- +goose Up
lock table webhook_event in access exclusive mode;

drop index webhook_event_feed_idx, webhook_event_status_idx;
alter table webhook_event
    -- An event has its number, and is in the feed, from when it was relayed.
    alter column number drop default,
    alter column number drop not null;
drop sequence webhook_event_number_seq;

-- The events there are keep the order they had in the feed. Their deliveries are queued already.
update webhook_event e set number = n.number
from (select merchant_id, id, row_number() over (order by xid, number) as number from webhook_event) n
where e.merchant_id = n.merchant_id and e.id = n.id and e.number <> n.number;
alter table webhook_event drop column xid;

create unique index webhook_event_feed_idx on webhook_event (merchant_id, number) where number is not null;
create index webhook_event_status_idx on webhook_event (merchant_id, status, number) where number is not null;

-- Events that are still to be relayed, in the order they were written in. Rows come and go, so the table is apart from
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
insert into webhook_relay (last_number) select coalesce(max(number), 0) from webhook_event;
