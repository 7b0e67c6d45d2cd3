-- Tables that only grow get a partition for each month. What there is becomes the first partition, up to the end of the next
-- month; that nothing in it lies beyond is checked beforehand, by this migration and the one after, while writers go on.

-- +goose Up
create table month_first (
    until timestamptz not null
);
insert into month_first (until)
select date_trunc('month', greatest(now(), (select max(created_at) from transfer), (select max(at) from payment_history),
    (select max(at) from webhook_attempt)), 'UTC') + interval '2 months';

-- The ids of events begin with the time at which they were made, in milliseconds: they are UUIDs of version 7. So a month is a
-- range of ids, and who looks for an event by its id looks in one partition.
create function event_id_from(at timestamptz) returns uuid language sql immutable as $$
    select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- +goose StatementBegin
do $$
declare
    until timestamptz := (select f.until from month_first f);
begin
    execute format('alter table transfer add constraint transfer_month check (created_at < %L) not valid', until);
    execute format('alter table payment_history add constraint payment_history_month check (at < %L) not valid', until);
    execute format('alter table webhook_attempt add constraint webhook_attempt_month check (at < %L) not valid', until);
    -- Other ids, if there ever were any, are moved out of the way when the partitions are made.
    if not exists (select from webhook_event where id >= event_id_from(until)) then
        execute format('alter table webhook_event add constraint webhook_event_month check (id < %L) not valid', event_id_from(until));
    end if;
end $$;
-- +goose StatementEnd
