-- +goose Up
-- What the command has done to the settings is looked for by an alarm.
create index setting_change_command_idx on setting_change (at) where actor = 'command';

-- What a key is good for, so that one that is lost empties no cashbox: until when, from which networks (none are all), and
-- for payouts of how much of its cashbox's currency in a day. Null is without end.
alter table api_key add column expires_at timestamptz,
    add column allowed_networks text[] not null default '{}',
    add column payout_daily_limit numeric(18, 2) check (payout_daily_limit > 0),
    add constraint api_key_payout_daily_limit_bound check (payout_daily_limit is null or cashbox_id is not null);

-- What was asked for with a key that has a limit, by days in UTC. A payout that ended unpaid counts as well.
create table key_payout_day (
    key_id bigint not null references api_key,
    day date not null,
    amount numeric(18, 2) not null check (amount > 0),
    primary key (key_id, day)
);

alter table cashbox_payout_method add column min_amount numeric(18, 2) check (min_amount > 0),
    add column max_amount numeric(18, 2) check (max_amount > 0),
    add constraint cashbox_payout_method_amounts check (min_amount <= max_amount);
