-- NotifyAudience lists the working channels of those who may hear of something: of traders, merchants and users by their ids, and of
-- operators where they are asked for. Users by their ids are there even when they are switched off.
-- name: NotifyAudience :many
select c.id, c.channel, u.id as user_id, u.kind, coalesce(u.role, '')::text as role, u.trader_id, u.merchant_id, u.zone,
    n.quiet_from, n.quiet_until, n.muted_until,
    array(select h.kind from notify_choice h where h.user_id = u.id and h.channel = c.channel and not h.wanted)::text[] as unwanted,
    array(select h.kind from notify_choice h where h.user_id = u.id and h.channel = c.channel and h.wanted)::text[] as wanted
from app_user u join notify_channel c on c.user_id = u.id left join notify_user n on n.user_id = u.id
where (u.enabled or u.id = any(@users::bigint[])) and c.confirmed_at is not null and c.ended_at is null
  and (u.trader_id = any(@traders::bigint[]) or u.merchant_id = any(@merchants::bigint[]) or u.id = any(@users::bigint[])
    or @operators::boolean and u.kind = 'operator')
order by c.id;

-- NoticeInsert has channels tell something, each thing once, after so many seconds. A channel that is just being visited is looked
-- at once more when the visit ends, which may not have seen this.
-- name: NoticeInsert :execrows
with told as (
    insert into notice (channel_id, kind, subject, path, figures, at, due_at)
    select n.channel_id, n.kind, n.subject, n.path, n.figures, n.at, now() + make_interval(secs => n.seconds)
    from (select unnest(@channel_ids::bigint[]) as channel_id, unnest(@kinds::text[]) as kind, unnest(@subjects::text[]) as subject,
        unnest(@paths::text[]) as path, unnest(@figures::text[]) as figures, unnest(@ats::timestamptz[]) as at, unnest(@seconds::double precision[]) as seconds) n
    join notify_channel c on c.id = n.channel_id
    on conflict do nothing
    returning channel_id, due_at
), due as (
    select channel_id, min(due_at) as due_at from told group by channel_id
), held as ( -- in one order, so that two who tell the same channels wait for each other and not both
    select c.id, due.due_at from notify_channel c join due on due.channel_id = c.id order by c.id for no key update of c
)
update notify_channel c set due_at = least(c.due_at, held.due_at, case when c.leased_until > now() then now() end)
from held where c.id = held.id;

-- NotifyLease gives a process channels with something to do, for a while; those another is taking it leaves out. Until more comes,
-- the next time to look at one is when the lease ends, in case the process is gone then. One that was removed has its last to tell.
-- name: NotifyLease :many
with due as (
    select d.id, d.user_id from notify_channel d
    where d.channel = @channel and d.slow = @slow and greatest(d.due_at, d.leased_until) <= now()
      and (d.confirmed_at is null) = (d.ended_at is not null)
    order by greatest(d.due_at, d.leased_until) limit @most
    for no key update skip locked
)
update notify_channel c set holder = @holder::uuid, leased_until = now() + make_interval(secs => @seconds),
    due_at = now() + make_interval(secs => @seconds)
from due join app_user u on u.id = due.user_id left join notify_user n on n.user_id = u.id where c.id = due.id
returning c.id, c.user_id, c.channel, c.address, c.label, u.login, u.enabled, (u.password_hash is not null)::boolean as has_password,
    coalesce(u.language, 'en')::text as language, u.kind as user_kind, coalesce(u.role, '')::text as role, u.trader_id, u.zone,
    n.quiet_from, n.quiet_until, n.muted_until;

-- NoticeWaiting adds up what waits in a channel, by kind: what is due, when the first of it is, and when the kind was last told.
-- name: NoticeWaiting :many
select n.kind, count(*) filter (where n.due_at <= now())::integer as due,
    coalesce(array_agg(n.id) filter (where n.due_at <= now()), '{}')::bigint[] as due_ids, max(n.attempts)::integer as attempts,
    coalesce(max(n.at) filter (where n.due_at <= now()), max(n.at))::timestamptz as newest,
    coalesce((array_agg(n.path order by n.id desc) filter (where n.due_at <= now()))[1], '')::text as path,
    coalesce((array_agg(n.figures order by n.id desc) filter (where n.due_at <= now()))[1], '')::text as figures,
    extract(epoch from greatest(min(n.due_at), max(n.due_at) filter (where n.attempts > 0), max(last.done_at) + make_interval(secs => @apart)) - now())::double precision as seconds
from notice n left join lateral (
    select max(d.done_at) as done_at from notice d
    where d.channel_id = n.channel_id and d.kind = n.kind and d.done_at > now() - make_interval(secs => @apart)
) last on true
where n.channel_id = @channel_id and n.done_at is null
group by n.kind order by min(n.id);

-- NoticeDone notes that what was due of a kind has been told, or was given up. What has come due since is not among it.
-- name: NoticeDone :exec
update notice set done_at = now(), attempts = attempts + 1 where id = any(@ids::bigint[]) and done_at is null;

-- NoticeAgain has what was due of a kind be told later.
-- name: NoticeAgain :exec
update notice set attempts = @attempts, due_at = now() + make_interval(secs => @seconds)
where id = any(@ids::bigint[]) and done_at is null;

-- name: NotifyMessageInsert :exec
insert into notify_message (user_id, channel, label, kind, count, at, outcome, problem)
values (@user_id, @channel, @label, @kind, @count, @at, @outcome, @problem);

-- NotifyLeave ends a lease. What has come meanwhile is due at once; what is left, when it is.
-- name: NotifyLeave :exec
update notify_channel c set holder = null, leased_until = now(), slow = @slow,
    due_at = case when c.ended_at is not null and c.confirmed_at is not null then 'infinity' when c.due_at < c.leased_until then c.due_at
        when @seconds::double precision < 0 then 'infinity' else now() + make_interval(secs => @seconds::double precision) end
where c.id = @id and c.holder = @holder::uuid;

-- NotifyEnd has a channel tell nothing any more, nor what waits in it: it was refused for good.
-- name: NotifyEnd :exec
with given_up as (
    update notice n set done_at = now() where n.channel_id = @id and n.done_at is null
)
update notify_channel c set ended_at = @now, due_at = 'infinity' where c.id = @id;

-- NotifyFeedLease makes a process the one that finds out what happened, and keeps how far it has come.
-- name: NotifyFeedLease :one
update notify_feed set holder = @holder::uuid, leased_until = now() + make_interval(secs => @seconds),
    history_id = greatest(history_id, @history_id), read_until = least(greatest(read_until, sqlc.narg(read_until)), now())
where holder = @holder::uuid or leased_until <= now()
returning history_id, read_until, exists (select from notify_channel where confirmed_at is not null and ended_at is null)::boolean as somebody;

-- name: NotifyHistoryLast :one
select coalesce(max(id), 0)::bigint as id from payment_history;

-- NotifyOpened reads on in the history of payments, which of it are creations, and which is about another amount than was asked for: that
-- it came, or what was decided about it.
-- name: NotifyOpened :many
select h.id, h.payment_id, p.trader_id, (h.from_status is null and p.status = 'pending')::boolean as opened,
    ('appeal' in (h.to_status, coalesce(h.from_status, '')) and coalesce(h.received_amount, p.received_amount) is not null
        and h.at > @cases_since::timestamptz)::boolean as of_case
from payment_history h join payment p on p.merchant_id = h.merchant_id and p.id = h.payment_id
where h.id > @after order by h.id limit @most;

-- NotifyMissing reads what was not committed yet when those after it were read.
-- name: NotifyMissing :many
select h.id, h.payment_id, p.trader_id, (h.from_status is null and p.status = 'pending')::boolean as opened,
    ('appeal' in (h.to_status, coalesce(h.from_status, '')) and coalesce(h.received_amount, p.received_amount) is not null
        and h.at > @cases_since::timestamptz)::boolean as of_case
from payment_history h join payment p on p.merchant_id = h.merchant_id and p.id = h.payment_id
where h.id = any(@ids::bigint[]);

-- NotifyClaimed lists the payments of traders that payers say they have paid, a page after another.
-- name: NotifyClaimed :many
select trader_id as owner_id, id::text as subject, id::text as place, payer_claimed_at::timestamptz as at from payment
where (payer_claimed_at, id) > (@since::timestamptz, @after::bigint) and payer_claimed_at is not null and status = 'pending'
  and payer_claimed_at <= @until::timestamptz and trader_id = any(@traders::bigint[])
order by payer_claimed_at, id limit @most;

-- NotifyExpiring lists the payments of traders that are about to end, a page after another. One whose end is moved is about to end
-- anew.
-- name: NotifyExpiring :many
select trader_id as owner_id, (id || '@' || extract(epoch from expires_at))::text as subject, id::text as place, expires_at as at
from payment
where status = 'pending' and (expires_at, id) > (@since::timestamptz, @after::bigint) and expires_at <= @until::timestamptz
  and trader_id = any(@traders::bigint[])
order by expires_at, id limit @most;

-- NotifyPayouts lists the payouts that have begun to wait, so many and those that began at the time of the last, with each trader
-- who may take them: a file makes thousands in one moment. One that is given back waits anew, for others than who gave it back.
-- name: NotifyPayouts :many
with waiting as (
    select id, currency, method, status_at from payin where status = 'waiting' and status_at > @since::timestamptz
    order by status_at fetch first (@most::integer) rows with ties
)
select t.id as owner_id, (w.id || '@' || extract(epoch from w.status_at))::text as subject, ''::text as place, w.status_at as at
from waiting w join trader_payout_method m on m.currency = w.currency and m.method = w.method join trader t on t.id = m.trader_id
where m.enabled and t.enabled and not t.on_break
  and not (t.id, w.id) in (select g.trader_id, g.payin_id from payin_take g where g.given_back_at > @given_since::timestamptz)
  and t.id in (select u.trader_id from notify_channel c join app_user u on u.id = c.user_id
    where u.trader_id is not null and u.enabled and c.confirmed_at is not null and c.ended_at is null)
order by w.status_at;

-- NotifyAppeals lists the appeals that were opened, with the trader of their payment.
-- name: NotifyAppeals :many
select p.trader_id as owner_id, a.id::text as subject, a.id::text as place, a.created_at as at
from appeal a join payment p on p.merchant_id = a.merchant_id and p.id = a.payment_id
where a.status in ('open', 'in_review') and a.created_at > @since::timestamptz order by a.created_at limit @most;

-- NotifyAppealMessages lists what operators wrote about appeals and their traders have not read.
-- name: NotifyAppealMessages :many
select t.trader_id as owner_id, (t.appeal_id || '/' || t.messages)::text as subject, t.appeal_id::text as place, t.last_at as at
from appeal_thread t where t.trader_unread > 0 and t.last_at > @since::timestamptz order by t.last_at limit @most;

-- NotifyDecided lists the appeals that were decided. One whose payment is looked at anew is decided anew.
-- name: NotifyDecided :many
select merchant_id as owner_id, (id || '@' || extract(epoch from status_at))::text as subject, id::text as place, status_at as at from appeal
where status in ('completed', 'failed') and status_at > @since::timestamptz order by status_at limit @most;

-- NotifyRequisites lists the requisites that have come near a limit of today.
-- name: NotifyRequisites :many
select r.trader_id as owner_id, (r.id || '@' || d.day)::text as subject, r.id::text as place, d.used_at::timestamptz as at
from requisite_day d join requisite r on r.id = d.requisite_id
where d.day >= @day::date and d.day = timezone(r.time_zone, @now::timestamptz)::date and d.used_at > @since::timestamptz
  and r.enabled and r.own_enabled
  and (d.count * 10 >= r.effective_daily_count * 9 or d.sum * 10 >= r.effective_daily_sum * 9)
order by d.used_at limit @most;

-- NotifyShort lists the traders who have too few USDT for more payments.
-- name: NotifyShort :many
with standing as (
    select b.account_id,
        b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0) as balance
    from account_balance b where b.account_id % 8 in (6, 7) and b.account_id / 8 = any(@traders::bigint[])
)
select t.id as owner_id from trader t
join standing free on free.account_id = t.id * 8 + 6
join standing held on held.account_id = t.id * 8 + 7
where t.enabled and not t.on_break and (free.balance <= 0 or free.balance < held.balance)
  and exists (select from requisite r where r.trader_id = t.id and r.enabled and r.own_enabled)
order by t.id limit @most;

-- NotifyOwners lists the traders and merchants of whom somebody can be told; an id is one or the other.
-- name: NotifyOwners :many
select distinct coalesce(u.trader_id, 0)::bigint as trader_id, coalesce(u.merchant_id, 0)::bigint as merchant_id
from notify_channel c join app_user u on u.id = c.user_id
where (u.trader_id is not null or u.merchant_id is not null) and u.enabled and c.confirmed_at is not null and c.ended_at is null;

-- NotifySilent lists the phones of traders that were not heard since a time, while payments count on them.
-- name: NotifySilent :many
select trader_id as owner_id, id::text as subject from counted_phone
where silent_since < @until::timestamptz and trader_id = any(@traders::bigint[]) order by id limit @most;

-- NotifyStand notes what of a kind stands, and when it has begun. Only the process does that finds out what happened.
-- name: NotifyStand :exec
insert into notify_standing (kind, owner_id, subject, began_at, seen_at, event_id)
select @kind, n.owner_id, n.subject, @now, @now, n.event_id
from (select unnest(@owner_ids::bigint[]) as owner_id, unnest(@subjects::text[]) as subject, unnest(@event_ids::uuid[]) as event_id) n
where exists (select from notify_feed f where f.holder = @holder::uuid and f.leased_until > now())
on conflict (kind, owner_id, subject) do update set seen_at = excluded.seen_at, event_id = excluded.event_id;

-- NotifyStandings lists what of a kind stood when it was last looked at.
-- name: NotifyStandings :many
select owner_id, subject, began_at, seen_at, event_id, told from notify_standing where kind = @kind;

-- NotifyStandingTold notes that it was told what has begun, and forgets what is over.
-- name: NotifyStandingTold :exec
with named as (
    select unnest(@owner_ids::bigint[]) as owner_id, unnest(@subjects::text[]) as subject, unnest(@begans::timestamptz[]) as began_at,
        unnest(@overs::boolean[]) as over
), gone as (
    delete from notify_standing s using named n
    where s.kind = @kind and s.owner_id = n.owner_id and s.subject = n.subject and s.began_at = n.began_at and n.over
)
update notify_standing s set told = true from named n
where s.kind = @kind and s.owner_id = n.owner_id and s.subject = n.subject and s.began_at = n.began_at and not n.over;

-- NotifyFailing lists the endpoints that gave no answer, or a wrong one, at the last try, with the newest event that they did not take.
-- name: NotifyFailing :many
select d.merchant_id as owner_id, d.host as subject, max(d.event_id::text collate "C")::uuid as event_id from webhook_delivery d
where d.merchant_id = any(@merchants::bigint[]) and d.attempts >= @attempts::integer
group by d.merchant_id, d.host order by d.merchant_id, d.host limit @most;

-- NotifyTaken tells whether an endpoint took a webhook since a time: an event that it did not take before, or one of the newest.
-- name: NotifyTaken :one
select exists (
    select from (
        (select o.id, o.url from webhook_event o where o.merchant_id = @merchant_id and o.id = @event_id and o.status = 'delivered')
        union all
        (select n.id, n.url from webhook_event n where n.merchant_id = @merchant_id and n.status = 'delivered' and n.number is not null
            order by n.number desc limit @most)
    ) e join webhook_attempt a on a.merchant_id = @merchant_id and a.event_id = e.id
    where lower(substring(e.url from '^[^:]+://(?:[^/?#]*@)?([^/?#]*)')) = @host::text
      and a.at > @since::timestamptz and a.status_code between 200 and 299
) as taken;

-- NotifyDeposits lists the deposits that were decided.
-- name: NotifyDeposits :many
select merchant_id as owner_id, (id || status)::text as subject, id::text as place, status_at as at from deposit
where status in ('confirmed', 'rejected') and status_at > @since::timestamptz order by status_at limit @most;

-- NotifyWithdrawals lists the withdrawals that have come to their end.
-- name: NotifyWithdrawals :many
select owner_id, (id || status)::text as subject, id::text as place, status_at as at from withdrawal
where status in ('completed', 'rejected', 'failed', 'cancelled') and status_at > @since::timestamptz and owner_kind = @owner_kind::text
order by status_at limit @most;

-- NotifyAddresses lists the addresses that were added to the books from which withdrawals go.
-- name: NotifyAddresses :many
select a.owner_id, a.id::text as subject, ''::text as place, a.added_at as at from (
    select n.owner_kind, n.owner_id, n.id, n.added_at from withdrawal_address n order by n.id desc limit @most
) a where a.owner_kind = @owner_kind::text and a.added_at > @since::timestamptz order by a.added_at;

-- NotifyPhones lists the phones that traders paired.
-- name: NotifyPhones :many
select d.trader_id as owner_id, d.id::text as subject, ''::text as place, d.created_at as at from (
    select n.trader_id, n.id, n.created_at from bank_device n order by n.id desc limit @most
) d where d.created_at > @since::timestamptz order by d.created_at;

-- NotifyKeys lists the keys of merchants that were made.
-- name: NotifyKeys :many
select k.merchant_id::bigint as owner_id, k.id::text as subject, ''::text as place, k.created_at as at from (
    select n.merchant_id, n.id, n.created_at from api_key n order by n.id desc limit @most
) k where k.merchant_id is not null and k.created_at > @since::timestamptz order by k.created_at;

-- NotifyKeyAddresses lists the keys that were used from an address for the first time and were in use for a day, each once a day.
-- name: NotifyKeyAddresses :many
select distinct k.merchant_id as owner_id, (k.key_id || '@' || to_char(timezone('UTC', k.first_at), 'YYYY-MM-DD'))::text as subject,
    coalesce(a.name, k.key_id)::text as name
from key_address k left join api_key a on a.key_id = k.key_id
where k.first_at > @since::timestamptz and exists (
    select from key_address o where o.key_id = k.key_id and o.first_at < k.first_at - interval '1 day')
order by 1, 2 limit @most;

-- NotifyZones lists the zones of merchants' users.
-- name: NotifyZones :many
select distinct zone from app_user where merchant_id is not null and enabled;

-- NotifySummaries lists the users of merchants who want a summary of yesterday, by a channel that works and in a role that hears of
-- it, in whose zone it is late enough for it, and who have none yet. They are for the process that finds out what happened.
-- name: NotifySummaries :many
select distinct u.id, u.merchant_id::bigint as merchant_id, u.zone, day.yesterday::date as yesterday
from app_user u
join notify_channel c on c.user_id = u.id
join notify_choice h on h.user_id = u.id and h.kind = @kind::text and h.channel = c.channel and h.wanted
join (select unnest(@zones::text[]) as zone, unnest(@yesterdays::text[]) as yesterday) day on day.zone = u.zone
where u.merchant_id is not null and u.enabled and u.role = any(@roles::text[]) and c.confirmed_at is not null and c.ended_at is null
  and c.channel = any(@channels::text[])
  and not exists (select from notice n where n.channel_id = c.id and n.kind = h.kind and n.subject = day.yesterday)
  and exists (select from notify_feed f where f.holder = @holder::uuid)
order by u.id limit @most;

-- NotifyDay adds up the payments of a merchant that were created in some time, by currency, the most used first, and what
-- those that are completed were settled for and the merchant got. What waits for a fresh rate, they have not got yet.
-- name: NotifyDay :many
select currency, count(*)::bigint as payments, count(*) filter (where status = 'completed')::bigint as completed,
    count(*) filter (where status in ('completed', 'failed', 'cancelled'))::bigint as ended,
    coalesce(sum(coalesce(settled_amount, amount)) filter (where status = 'completed'), 0)::numeric as volume,
    coalesce(sum(amount_usdt) filter (where status = 'completed' and not rate_unavailable), 0)::numeric as usdt
from payment
where merchant_id = @merchant_id and id > @above and id < @below
  and created_at >= @from_at::timestamptz and created_at < @until_at::timestamptz
group by currency order by 2 desc, 1;

-- NotifyTeam lists what changed about users of merchants.
-- name: NotifyTeam :many
select u.merchant_id::bigint as owner_id, c.id::text as subject, ''::text as place, c.at from setting_change c join app_user u on u.id = c.subject_key::bigint
where c.at > @since::timestamptz and c.subject = 'app_user' and u.merchant_id is not null order by c.at limit @most;

-- NotifyAlarms lists the alarms that have begun to fire.
-- name: NotifyAlarms :many
select 0::bigint as owner_id, (name || '@' || extract(epoch from since))::text as subject, name as place, since as at
from alarm_state where firing and since > @since::timestamptz order by since limit @most;

-- NotifyProposals lists the proposals that wait for a second operator.
-- name: NotifyProposals :many
select 0::bigint as owner_id, id::text as subject, id::text as place, created_at as at from proposal where decision is null and created_at > @since::timestamptz order by created_at limit @most;

-- NotifySignIns lists the sign-ins from a device that the user had not used before.
-- name: NotifySignIns :many
select e.user_id as owner_id, e.id::text as subject, ''::text as place, e.at from sign_in_event e
where e.at > @since::timestamptz and e.outcome in ('signed_in', 'factor_given') and not exists (
    select from sign_in_event o where o.user_id = e.user_id and o.at < e.at and o.at > @known_since::timestamptz
      and o.outcome in ('signed_in', 'factor_given') and o.address = e.address and o.agent = e.agent)
order by e.at limit @most;

-- NotifyEvents lists what packages said that happened.
-- name: NotifyEvents :many
select kind, user_id as owner_id, subject from notify_event where at > @since::timestamptz order by at limit @most;

-- name: NotifyEventInsert :exec
insert into notify_event (kind, user_id, subject, at) values (@kind, @user_id, @subject, @at);

-- NotifyPrune forgets what was told long ago.
-- name: NotifyPrune :exec
with notices as (
    delete from notice where id in (select n.id from notice n where n.done_at < @before::timestamptz order by n.done_at limit @most)
), messages as (
    delete from notify_message where id in (select m.id from notify_message m where m.at < @before::timestamptz limit @most)
), codes as (
    delete from notify_code where expires_at < @before::timestamptz
), mailed as (
    delete from notify_mailed where at < @before::timestamptz
)
delete from notify_event where id in (select e.id from notify_event e where e.at < @before::timestamptz order by e.at limit @most);

-- NotifyChannels lists a user's channels.
-- name: NotifyChannels :many
select id, channel, label, (confirmed_at is not null)::boolean as confirmed, (ended_at is not null)::boolean as ended, created_at from notify_channel
where user_id = @user_id and (confirmed_at is not null or ended_at is null) order by id;

-- name: NotifyChannelID :one
select nextval('notify_channel_id_seq')::bigint as id;

-- NotifyChannelPut adds a channel, or has one work again that is there. The user's other channels are told, by the real time.
-- name: NotifyChannelPut :one
with put as (
insert into notify_channel (id, user_id, channel, address, mark, label, created_at, confirmed_at)
select @id, @user_id, @channel, @address, @mark, @label, @now, sqlc.narg(confirmed_at)
where (select count(*) from notify_channel where user_id = @user_id) < @most::bigint
   or exists (select from notify_channel where user_id = @user_id and channel = @channel and mark = @mark)
on conflict (user_id, channel, mark) do update set label = excluded.label,
    ended_at = case when coalesce(notify_channel.confirmed_at, excluded.confirmed_at) is null then notify_channel.ended_at end,
    confirmed_at = coalesce(notify_channel.confirmed_at, excluded.confirmed_at)
returning id, user_id, (confirmed_at is not null)::boolean as confirmed
), told as (
    insert into notify_event (kind, user_id, subject, at) select @kind::text, put.user_id, put.id::text, now() from put where put.confirmed
)
select put.id, put.confirmed from put;

-- name: NotifyChannelConfirm :exec
with put as (
    update notify_channel c set confirmed_at = @now, ended_at = null where c.id = @id and c.confirmed_at is null returning c.id, c.user_id
)
insert into notify_event (kind, user_id, subject, at) select @kind::text, put.user_id, put.id::text, now() from put;

-- NotifyChannelRemove removes a channel. One that works tells what waits in it and, as the user's others, that it was removed: so
-- nobody has a user not hear of what is done to them. Until then it is there, ended and not confirmed.
-- name: NotifyChannelRemove :one
with one as (
    select c.id, c.user_id, (c.confirmed_at is not null)::boolean as confirmed, c.id || '@' || extract(epoch from now()) as subject,
        (c.confirmed_at is not null and c.ended_at is null and c.channel = any(@channels::text[]))::boolean as works
    from notify_channel c where c.id = @id and c.user_id = @user_id and (c.confirmed_at is not null or c.ended_at is null)
), said as (
    insert into notify_event (kind, user_id, subject, at) select @kind::text, one.user_id, one.subject, now() from one where one.confirmed
), last as (
    insert into notice (channel_id, kind, subject, path, at, due_at)
    select one.id, @kind, one.subject, @path, @now::timestamptz, now() from one where one.works
), gone as (
    delete from notify_channel c using one where c.id = one.id and not one.works
), ending as (
    update notify_channel c set confirmed_at = null, ended_at = @now, due_at = now() from one where c.id = one.id and one.works
)
select one.id from one;

-- NotifyChannelDrop forgets a channel that has told that it was removed.
-- name: NotifyChannelDrop :exec
delete from notify_channel where id = @id and confirmed_at is null and ended_at is not null;

-- NotifyChannelsOf lists whose a chat or an address is, of those who may sign in.
-- name: NotifyChannelsOf :many
select c.id, c.user_id from notify_channel c join app_user u on u.id = c.user_id
where c.mark = @mark and c.channel = @channel and c.confirmed_at is not null
  and u.enabled and u.password_hash is not null
order by c.id;

-- NotifyCodeInsert keeps a code, in the place of one for the same before.
-- name: NotifyCodeInsert :exec
with before as (
    delete from notify_code o where o.user_id = @user_id and o.channel_id is not distinct from sqlc.narg(channel_id)
)
insert into notify_code (hash, user_id, channel_id, expires_at) values (@hash, @user_id, sqlc.narg(channel_id), @expires_at);

-- NotifyMailed notes that a code goes to an address, unless its user has had too many sent since a time, or it has got too many.
-- name: NotifyMailed :execrows
insert into notify_mailed (user_id, mark, at) select @user_id::bigint, @mark::bytea, @now::timestamptz
where (select count(*) from notify_mailed m where m.user_id = @user_id and m.at > @since::timestamptz) < @user_most::bigint
  and (select count(*) from notify_mailed m where m.mark = @mark and m.at > @since) < @mark_most::bigint;

-- NotifyForget forgets where a user is told, since nobody knows whose these places are.
-- name: NotifyForget :exec
with codes as (
    delete from notify_code o where o.user_id = @user_id
)
delete from notify_channel c where c.user_id = @user_id;

-- NotifyPushLeave takes a browser from other users: who has it now is not to read what they are told.
-- name: NotifyPushLeave :exec
delete from notify_channel where channel = 'push' and mark = @mark and user_id <> @user_id;

-- NotifyCodeTake takes a code, which is good once.
-- name: NotifyCodeTake :one
delete from notify_code where hash = @hash and expires_at > @now and (channel_id is null) = @open::boolean
returning user_id, channel_id;

-- name: NotifyUserGet :one
select u.zone, n.quiet_from, n.quiet_until, n.muted_until from app_user u left join notify_user n on n.user_id = u.id where u.id = @user_id;

-- name: NotifyUserPut :exec
insert into notify_user (user_id, quiet_from, quiet_until) values (@user_id, sqlc.narg(quiet_from), sqlc.narg(quiet_until))
on conflict (user_id) do update set quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until;

-- name: NotifyMute :exec
insert into notify_user (user_id, muted_until) values (@user_id, sqlc.narg(muted_until))
on conflict (user_id) do update set muted_until = excluded.muted_until;

-- NotifyUnmute has a user be told again, and what waited for the end of the silence, after so many seconds at most.
-- name: NotifyUnmute :exec
with heard as (
    update notify_user u set muted_until = null where u.user_id = @user_id
), due as (
    update notice n set due_at = now() + make_interval(secs => @seconds::double precision) from notify_channel c
    where c.user_id = @user_id and n.channel_id = c.id and n.done_at is null and n.attempts = 0
      and n.due_at > now() + make_interval(secs => @seconds)
    returning n.channel_id, n.due_at
)
update notify_channel c set due_at = least(c.due_at, due.due_at) from due where c.id = due.channel_id;

-- name: NotifyChoices :many
select kind, channel, wanted from notify_choice where user_id = @user_id order by kind, channel;

-- NotifyChoicePut keeps choices of a user, in the place of those before. Of one that is given twice the last holds. What waits of a
-- kind that is not wanted any more is not told.
-- name: NotifyChoicePut :exec
with chosen as (
    select distinct on (n.kind, n.channel) n.kind, n.channel, n.wanted from (
        select unnest(@kinds::text[]) as kind, unnest(@channels::text[]) as channel, unnest(@wanted::boolean[]) as wanted,
            generate_subscripts(@kinds, 1) as place
    ) n order by n.kind, n.channel, n.place desc
), given_up as (
    update notice w set done_at = now() from notify_channel c join chosen on chosen.channel = c.channel
    where c.user_id = @user_id::bigint and w.channel_id = c.id and w.kind = chosen.kind and w.done_at is null and not chosen.wanted
)
insert into notify_choice (user_id, kind, channel, wanted)
select @user_id::bigint, chosen.kind, chosen.channel, chosen.wanted from chosen
on conflict (user_id, kind, channel) do update set wanted = excluded.wanted;

-- NotifyMessages lists the newest tries to tell a user something.
-- name: NotifyMessages :many
select channel, label, kind, count, at, outcome, problem from notify_message where user_id = @user_id order by id desc limit @most;

-- NotifyWho is a user as the bot asks about them.
-- name: NotifyWho :one
select id, login, kind, coalesce(role, '')::text as role, trader_id, merchant_id, coalesce(language, 'en')::text as language, zone,
    awaits_until
from app_user where id = @id and enabled and password_hash is not null;

-- NotifyDesk tells what a trader has to do: open payments, and whether they take new ones.
-- name: NotifyDesk :one
select on_break, (
    select count(*) from payment p where p.trader_id = @trader_id and p.status = 'pending' and p.expires_at > @now
)::bigint as open
from trader where id = @trader_id;
