-- A card attempt keeps the processor it began with, whatever the trader's processor is later, and is asked about less
-- often the longer nothing happens to it.

-- +goose Up
update trader_acquirer set url = rtrim(url, '/');
-- A trader's processors by address: the present one takes new cards, the others answer for the attempts they began.
alter table trader_acquirer
    drop constraint trader_acquirer_pkey,
    add column id bigint generated always as identity primary key,
    add column present boolean not null default true,
    add constraint trader_acquirer_address unique (trader_id, url);
create unique index trader_acquirer_present_idx on trader_acquirer (trader_id) where present;

alter table card_attempt
    -- The trader_acquirer it began with; 0 is the sandbox's own acquirer.
    add column acquirer_id bigint not null default 0,
    -- When something last happened to it: it began, a code was asked for or given, it was to be undone.
    add column progress_at timestamptz not null default now(),
    drop column polls;
update card_attempt a set progress_at = created_at,
    acquirer_id = coalesce((select t.id from trader_acquirer t where t.trader_id = a.trader_id), 0);
alter table card_attempt alter column acquirer_id drop default, alter column progress_at drop default;

drop index card_attempt_due_idx;
create index card_attempt_due_idx on card_attempt (trader_id, acquirer_id, poll_at)
    where status in ('authorising', 'open', 'undoing');
