-- +goose Up

-- The deliveries still to be made: one row for each pending event that has been relayed, gone once it is delivered or given up.
-- These tables go by the database's own clock, and a lease or a delay lasts as long as it says.
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

-- The endpoints that have, or had, deliveries to be made. One process at a time works an endpoint: it takes a lease, and reads
-- the endpoint's deliveries without a lock or a mark.
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

-- Jobs of the queue there was before keep their time and their attempts; its tables are not needed any more.
-- +goose StatementBegin
do $$
begin
    if to_regclass('river_job') is not null then
        insert into webhook_delivery (merchant_id, event_id, host, due_at, attempts, round)
        select e.merchant_id, e.id, lower(split_part(regexp_replace(e.url, '^[^:]*://([^/?#]*@)?([^/?#]*).*$', '\2'), '/', 1)),
            coalesce(max(j.scheduled_at), now()), coalesce(max(j.attempt - case when j.state = 'running' then 1 else 0 end), 0), e.round
        from webhook_event e left join river_job j on (j.args->>'event_id')::uuid = e.id and j.kind = 'webhook'
            and coalesce((j.args->>'round')::integer, 0) = e.round and j.state in ('available', 'retryable', 'scheduled', 'running')
        where e.status = 'pending' and e.number is not null
        group by e.merchant_id, e.id;
        drop table if exists river_job, river_leader, river_queue, river_client, river_client_queue, river_notification, river_migration cascade;
        drop type river_job_state cascade;
        drop function if exists river_job_notify, river_job_state_in_bitmask cascade;
    end if;
end $$;
-- +goose StatementEnd
insert into webhook_endpoint (merchant_id, host, due_at) select merchant_id, host, min(due_at) from webhook_delivery group by 1, 2;
