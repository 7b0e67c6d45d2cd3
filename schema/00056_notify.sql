-- What users are told by Telegram, mail and push, and how.

-- +goose Up

-- When a user wants to be left alone. Who has no row never said.
create table notify_user (
    user_id bigint primary key references app_user,
    -- Minutes of the day in the user's zone, from the one on until the other; null: there are no quiet hours.
    quiet_from smallint check (quiet_from between 0 and 1439),
    quiet_until smallint check (quiet_until between 0 and 1439),
    -- Until when all is quiet, because the user has said so to the bot.
    muted_until timestamptz,
    constraint notify_user_quiet check ((quiet_from is null) = (quiet_until is null) and quiet_from is distinct from quiet_until
        or quiet_from is null and quiet_until is null)
);

-- Where a user is told: one chat, one address or one browser. It is also the line in which its notices wait: one process at a
-- time works it, by a lease. These columns go by the database's own clock.
create table notify_channel (
    id bigint primary key,
    user_id bigint not null references app_user,
    channel text not null check (channel in ('telegram', 'mail', 'push')),
    -- The chat, the address or the subscription. Sealed; associated data: notify_channel, address, id.
    address bytea not null,
    -- Tells addresses apart without revealing them.
    mark bytea not null check (length(mark) = 32),
    -- What the user knows it by.
    label text not null check (char_length(label) between 1 and 100),
    created_at timestamptz not null,
    -- Null: nobody has shown yet that it is theirs.
    confirmed_at timestamptz,
    -- Null: it works. Else it was refused for good, and why is in the last message.
    ended_at timestamptz,
    due_at timestamptz not null default 'infinity',
    leased_until timestamptz not null default '-infinity',
    holder uuid,
    -- The last try failed.
    slow boolean not null default false,
    unique (user_id, channel, mark)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create sequence notify_channel_id_seq owned by notify_channel.id;
create index notify_channel_due_idx on notify_channel (channel, slow, greatest(due_at, leased_until));
create index notify_channel_mark_idx on notify_channel (mark);

-- A code by which somebody shows that a channel is theirs, once.
create table notify_code (
    -- SHA-256 of the code.
    hash bytea primary key,
    user_id bigint not null references app_user,
    -- Null: the channel is made when the code is used, as of Telegram.
    channel_id bigint references notify_channel on delete cascade,
    expires_at timestamptz not null
);
create index notify_code_user_idx on notify_code (user_id);
create index notify_code_channel_idx on notify_code (channel_id);

-- When a code went to an address, also one that was removed since: so that nobody is written to again and again.
create table notify_mailed (
    user_id bigint not null,
    -- As of notify_channel.
    mark bytea not null,
    at timestamptz not null
);
create index notify_mailed_user_idx on notify_mailed (user_id, at);
create index notify_mailed_mark_idx on notify_mailed (mark, at);
create index notify_mailed_at_idx on notify_mailed (at);

-- What a user said about a kind by a channel. Where there is no row, the kind's own choice holds.
create table notify_choice (
    user_id bigint not null references app_user,
    kind text not null,
    channel text not null check (channel in ('telegram', 'mail', 'push')),
    wanted boolean not null,
    primary key (user_id, kind, channel)
);

-- What is to be told in one channel. Notices of one kind that wait together are one message.
create table notice (
    id bigint generated always as identity primary key,
    channel_id bigint not null references notify_channel on delete cascade,
    kind text not null,
    -- What it is about, so that it is told once; the page it leads to.
    subject text not null,
    path text not null,
    at timestamptz not null,
    attempts integer not null default 0,
    due_at timestamptz not null,
    -- When it was told, or given up.
    done_at timestamptz,
    constraint notice_once unique (channel_id, kind, subject)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index notice_waiting_idx on notice (channel_id, kind, due_at) where done_at is null;
create index notice_done_idx on notice (channel_id, kind, done_at) where done_at is not null;
create index notice_prune_idx on notice (done_at) where done_at is not null;

-- A try to send a message, and what became of it.
create table notify_message (
    id bigint generated always as identity primary key,
    user_id bigint not null references app_user,
    channel text not null,
    label text not null,
    kind text not null,
    count integer not null check (count > 0),
    at timestamptz not null,
    outcome text not null check (outcome in ('sent', 'again', 'given_up')),
    -- Why it was not sent, in words fit for the user.
    problem text not null default ''
);
create index notify_message_user_idx on notify_message (user_id, id);
create index notify_message_prune_idx on notify_message using brin (at);

-- What packages say that happened, where no other table has it.
create table notify_event (
    id bigint generated always as identity primary key,
    kind text not null,
    user_id bigint not null,
    subject text not null,
    at timestamptz not null
);
create index notify_event_at_idx on notify_event (at);

-- One row: which process finds out what happened, and how far it has come in the history of payments.
create table notify_feed (
    only_row boolean primary key default true check (only_row),
    holder uuid,
    leased_until timestamptz not null default '-infinity',
    history_id bigint not null default 0
);
insert into notify_feed default values;

create or replace view sealed_value as
select place, encode(substring(value from 2 for 4), 'hex') as fingerprint from (
    select 'cashbox.webhook_secret' as place, webhook_secret as value from cashbox
    union all select 'webhook_secret_previous.secret', secret from webhook_secret_previous
    union all select 'app_user.totp_secret', totp_secret from app_user
    union all select 'session.totp_pending', totp_pending from session
    union all select 'payin.address', address from payin
    union all select 'payment_card.pan', pan from payment_card
    union all select 'payment_card.expiry', expiry from payment_card
    union all select 'payment_card.holder', holder from payment_card
    union all select 'trader_acquirer.secret', secret from trader_acquirer
    union all select 'card_hash_key.key', key from card_hash_key
    union all select 'requisite.sealed', sealed from requisite
    union all select 'proposal.secrets', secrets from proposal
    union all select 'bank_device.secret', secret from bank_device
    union all select 'bank_message.text', text from bank_message
    union all select 'payout_file.content', content from payout_file
    union all select 'notify_channel.address', address from notify_channel
    union all select 'payment.requisite_sealed', requisite_sealed from payment
) as sealed where length(value) > 5 and get_byte(value, 0) = 1;
