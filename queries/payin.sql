-- name: PayoutInsert :one
insert into payin (
    merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri,
    address, address_mask, recipient, bank_code, bank_name, user_id, user_ip,
    status, status_at, expires_at, created_at,
    base_rate, rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt, request_id, request_address, return_of,
    metadata
) values (
    @merchant_id, @id, @uuid, @cashbox_id, @order_id, @method, @currency, @amount, @callback_uri,
    @address, @address_mask, @recipient, @bank_code, @bank_name, @user_id, @user_ip,
    'waiting', @created_at, @expires_at, @created_at,
    @base_rate, @rate_source, @rate_observed_at, @markup_percent, @spot_usdt, @frozen_usdt,
    @request_id, @request_address, sqlc.narg(return_of), @metadata
) returning *;

-- name: PayoutGet :one
select * from payin where merchant_id = @merchant_id and id = @id;

-- PayoutFind looks across merchants: a uuid is all that callers know.
-- name: PayoutFind :one
select * from payin where uuid = @uuid;

-- name: PayoutLock :one
select * from payin where merchant_id = @merchant_id and id = @id for no key update;

-- PayoutTake gives a locked payout to a trader, at their terms.
-- name: PayoutTake :one
update payin set status = 'processing', status_reason = null, status_at = @now, taken_at = @now, trader_id = @trader_id::bigint,
    trader_share_percent = @trader_share_percent, trader_usdt = @trader_usdt, platform_usdt = @platform_usdt
where merchant_id = @merchant_id and id = @id
returning *;

-- PayoutCountTaken counts what a trader has taken and not ended. The caller holds the trader's lock from a statement before.
-- name: PayoutCountTaken :one
select count(*) from payin where trader_id = @trader_id::bigint and status = 'processing';

-- PayoutGiveBack takes a locked payout from its trader, so that any trader can take it. Why is in the history, for operators only.
-- name: PayoutGiveBack :one
update payin set status = 'waiting', status_reason = null, status_at = @now, taken_at = null, trader_id = null,
    trader_share_percent = null, trader_usdt = null, platform_usdt = null
where merchant_id = @merchant_id and id = @id
returning *;

-- PayoutEnd ends a locked payout. The proof of one that was completed stays when that is reversed.
-- name: PayoutEnd :one
update payin set status = @status, status_reason = @status_reason, status_at = @now,
    proof_reference = coalesce(sqlc.narg(proof_reference), proof_reference), event_sequence = event_sequence + 1
where merchant_id = @merchant_id and id = @id
returning *;

-- PayoutListForTrader lists a trader's own payouts and those waiting that they can pay.
-- name: PayoutListForTrader :many
select p.* from payin p
where p.id in (
    (select own.id from payin own
     where own.trader_id = @trader_id::bigint and own.id < @before_id
       and (sqlc.narg(status)::text is null or own.status = sqlc.narg(status))
     order by own.id desc limit @page)
    union all
    (select w.id from payin w
     join trader_payout_method m on m.currency = w.currency and m.method = w.method
     join trader t on t.id = m.trader_id
     where w.status = 'waiting' and w.id < @before_id and m.trader_id = @trader_id::bigint and m.enabled and t.enabled
       and (sqlc.narg(status)::text is null or sqlc.narg(status) = 'waiting')
       and w.id <> all(@given_back::bigint[])
     order by w.id desc limit @page)
)
order by p.id desc limit @page;

-- PayoutListByMerchant lists a merchant's payouts. Of a time, db.Span says between which ids it is.
-- name: PayoutListByMerchant :many
select * from payin
where merchant_id = @merchant_id and id > @above_id and id < @below_id
  and (sqlc.narg(created_from)::timestamptz is null or created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or created_at < sqlc.narg(created_to))
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
order by id desc limit @page;

-- PayoutListByPair lists a merchant's payouts that have a pair of metadata.
-- name: PayoutListByPair :many
select p.* from metadata_pair m join payin p on p.merchant_id = m.merchant_id and p.id = m.subject_id
where m.merchant_id = @merchant_id and m.subject = 'payin' and m.pair = @pair and m.subject_id > @above_id and m.subject_id < @below_id
  and (sqlc.narg(created_from)::timestamptz is null or p.created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or p.created_at < sqlc.narg(created_to))
  and (sqlc.narg(status)::text is null or p.status = sqlc.narg(status))
order by m.subject_id desc limit @page;

-- PayoutListByOrder finds a merchant's payouts of one order id, one a channel.
-- name: PayoutListByOrder :many
select p.* from payin_key k join payin p on p.merchant_id = k.merchant_id and p.id = k.payin_id
where k.merchant_id = @merchant_id and k.channel = any(@channels::text[]) and k.order_id = @order_id and p.id < @below_id
  and (sqlc.narg(created_from)::timestamptz is null or p.created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or p.created_at < sqlc.narg(created_to))
  and (sqlc.narg(status)::text is null or p.status = sqlc.narg(status))
order by p.id desc;

-- PayoutListOverdue lists the payouts that a trader took and did not end in time, which is also over when they expire.
-- name: PayoutListOverdue :many
select * from payin
where status = 'processing' and (taken_at <= @taken_until::timestamptz or expires_at <= @now) and id < @before_id
order by id desc limit @page;

-- PayoutsExpired lists overdue payouts, the oldest first, for a sweep: without those it has put off.
-- name: PayoutsExpired :many
select merchant_id, id from payin
where status = 'waiting' and expires_at <= @now and id <> all(@put_off::bigint[])
order by expires_at limit @page;

-- PayoutsFree are those of a merchant's payouts that nobody is just changing.
-- name: PayoutsFree :many
select id from payin where merchant_id = @merchant_id and id = any(@ids::bigint[]) for no key update skip locked;

-- PayoutsExpiredLeft reports whether any are left, those included that somebody is just changing.
-- name: PayoutsExpiredLeft :one
select exists (select 1 from payin where status = 'waiting' and expires_at <= @now and id <> all(@put_off::bigint[]))::boolean;

-- name: PayoutLockExpired :one
select * from payin
where merchant_id = @merchant_id and id = @id and status = 'waiting' and expires_at <= @now
for no key update skip locked;

-- PayoutDeskStamps reads of traders numbers that change with the payouts of their desks: those they took and have not ended, and
-- those waiting that they can pay. What waits is read once for all who can pay it.
-- name: PayoutDeskStamps :many
with asked as (select unnest(@trader_ids::bigint[]) as id),
able as (
    select t.id, m.currency, m.method from asked
    join trader t on t.id = asked.id and t.enabled
    join trader_payout_method m on m.trader_id = t.id and m.enabled
), waiting as (
    select p.currency, p.method, bit_xor(hashtextextended(p.id || ' ' || p.status_at, 0)) as stamp from payin p
    where p.status = 'waiting' group by p.currency, p.method
), offered as (
    select a.id, bit_xor(hashtextextended(w.currency || ' ' || w.method || ' ' || w.stamp, 0)) as stamp from able a
    join waiting w on w.currency = a.currency and w.method = a.method group by a.id
), taken as (
    select p.trader_id, bit_xor(hashtextextended(p.id || ' ' || p.status_at, 0)) as stamp from payin p
    where p.trader_id = any(@trader_ids::bigint[]) and p.status = 'processing' group by p.trader_id
)
select asked.id::bigint as id, hashtextextended(coalesce(taken.stamp, 0) || ' ' || coalesce(offered.stamp, 0), 0)::bigint as stamp
from asked left join taken on taken.trader_id = asked.id left join offered on offered.id = asked.id;

-- PayoutDeskCounts counts what a trader has taken and not ended and what waits that they can pay, no further than to a number.
-- name: PayoutDeskCounts :one
select (select count(*) from (
        select 1 from payin where trader_id = @trader_id::bigint and status = 'processing' limit @most) as t)::integer as taken,
    (select count(*) from (
        select 1 from payin w
        where w.status = 'waiting' and w.id <> all(@given_back::bigint[]) and (w.currency, w.method) in (
            select m.currency, m.method from trader_payout_method m join trader t on t.id = m.trader_id
            where m.trader_id = @trader_id::bigint and m.enabled and t.enabled
        ) limit @most) as w
    )::integer as waiting;

-- PayoutDeskTaken lists what a trader took and has not ended, what ends first before the others.
-- name: PayoutDeskTaken :many
select * from payin where trader_id = @trader_id::bigint and status = 'processing' order by expires_at, id limit @page;

-- PayoutDeskWaiting lists what waits that a trader can pay, what ends first before the others; of one bank, where one is named.
-- name: PayoutDeskWaiting :many
select w.* from payin w
where w.status = 'waiting' and w.id <> all(@given_back::bigint[]) and (w.currency, w.method) in (
        select m.currency, m.method from trader_payout_method m join trader t on t.id = m.trader_id
        where m.trader_id = @trader_id::bigint and m.enabled and t.enabled
    ) and (@bank::text = '' or coalesce(nullif(w.bank_code, ''), w.bank_name) = @bank)
order by w.expires_at, w.id limit @page;

-- PayoutDeskBanks names the banks of what waits that a trader can pay, of as many payouts as most.
-- name: PayoutDeskBanks :many
select distinct waits.bank::text as bank from (
    select coalesce(nullif(w.bank_code, ''), w.bank_name) as bank from payin w
    where w.status = 'waiting' and w.id <> all(@given_back::bigint[]) and (w.currency, w.method) in (
        select m.currency, m.method from trader_payout_method m join trader t on t.id = m.trader_id
        where m.trader_id = @trader_id::bigint and m.enabled and t.enabled
    ) order by w.expires_at limit @most
) waits where waits.bank <> '' order by bank;

-- PayoutRequisitePurge removes the whole requisites of the payouts that ended longest ago, before a time.
-- name: PayoutRequisitePurge :one
with due as (
    select d.merchant_id, d.id from payin d
    where d.address is not null and d.status in ('completed', 'failed', 'cancelled', 'expired') and d.status_at < @before
    order by d.status_at limit @most
), gone as (
    -- What somebody else has purged or set back meanwhile is left alone: no statement locks rows of several nodes first.
    update payin p set address = null from due
    where p.merchant_id = due.merchant_id and p.id = due.id
        and p.address is not null and p.status in ('completed', 'failed', 'cancelled', 'expired') and p.status_at < @before
    returning p.id
)
select count(*) as count, coalesce(min(gone.id), 0)::bigint as first, coalesce(max(gone.id), 0)::bigint as last from gone;

-- PayoutOpenCount counts the payouts of somebody that have not ended, no further than most.
-- name: PayoutOpenCount :one
select count(*)::integer from (
    select 1 from payin p
    where p.status in ('waiting', 'processing')
      and (sqlc.narg(merchant_id)::bigint is null or p.merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(trader_id)::bigint is null or p.trader_id = sqlc.narg(trader_id))
    limit @most
) as open;
