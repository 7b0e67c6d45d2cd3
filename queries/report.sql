-- ReportPayments and its like read part of a list. The inner query is bounded by indexes, and stops after so many rows whatever
-- the outer one keeps of them. Each is planned for its parameters as they are, so that those that are null cost nothing,
-- and an index has the rows in their order either way: the newest first, or backward the oldest.
-- name: ReportPayments :many
with listed as (
    select * from payment
    where id > @above and id < @below
      and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(trader_id)::bigint is null or trader_id = sqlc.narg(trader_id))
      and (sqlc.narg(ids)::bigint[] is null or id = any(sqlc.narg(ids)::bigint[]))
      and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
      and (sqlc.narg(payer)::text is null or payer_user_id = sqlc.narg(payer))
    order by case when @backward::boolean then id end, id desc limit @scan
)
select listed.* from listed
where (sqlc.narg(statuses)::text[] is null or status = any(sqlc.narg(statuses)::text[]))
  and created_at >= @created_from and created_at < @created_to
  and (sqlc.narg(cashbox_id)::bigint is null or cashbox_id = sqlc.narg(cashbox_id))
  and (sqlc.narg(method)::text is null or method = sqlc.narg(method))
  and (sqlc.narg(currency)::text is null or currency = sqlc.narg(currency))
  and (sqlc.narg(min_amount)::numeric is null or amount >= sqlc.narg(min_amount))
  and (sqlc.narg(max_amount)::numeric is null or amount <= sqlc.narg(max_amount))
  and (not @sought::boolean or id::text = sqlc.narg(last4)::text or requisite_last4 = sqlc.narg(last4)
    or amount >= sqlc.narg(sum_from)::numeric and amount <= sqlc.narg(sum_to)::numeric
    or strpos(lower(order_id), sqlc.narg(part)::text) > 0
    or requisite_type is null and id in (select c.card_payment_id from payment_card_shown c
        where c.last4 = sqlc.narg(last4) and c.card_payment_id > @above and c.card_payment_id < @below))
  and (sqlc.narg(requisites)::bigint[] is null or requisite_id = any(sqlc.narg(requisites)::bigint[]))
order by case when @backward then id end, id desc limit @page;

-- ReportPaymentsByAmount has what the same inner query looks at by amount: sign 1 the least first, -1 the greatest. It goes on after
-- a payment.
-- name: ReportPaymentsByAmount :many
with listed as (
    select * from payment
    where id > @above and id < @below
      and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(trader_id)::bigint is null or trader_id = sqlc.narg(trader_id))
      and (sqlc.narg(ids)::bigint[] is null or id = any(sqlc.narg(ids)::bigint[]))
      and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
      and (sqlc.narg(payer)::text is null or payer_user_id = sqlc.narg(payer))
    order by id desc limit @scan
)
select listed.* from listed
where (sqlc.narg(statuses)::text[] is null or status = any(sqlc.narg(statuses)::text[]))
  and created_at >= @created_from and created_at < @created_to
  and (sqlc.narg(cashbox_id)::bigint is null or cashbox_id = sqlc.narg(cashbox_id))
  and (sqlc.narg(method)::text is null or method = sqlc.narg(method))
  and (sqlc.narg(currency)::text is null or currency = sqlc.narg(currency))
  and (sqlc.narg(min_amount)::numeric is null or amount >= sqlc.narg(min_amount))
  and (sqlc.narg(max_amount)::numeric is null or amount <= sqlc.narg(max_amount))
  and (not @sought::boolean or id::text = sqlc.narg(last4)::text or requisite_last4 = sqlc.narg(last4)
    or amount >= sqlc.narg(sum_from)::numeric and amount <= sqlc.narg(sum_to)::numeric
    or strpos(lower(order_id), sqlc.narg(part)::text) > 0
    or requisite_type is null and id in (select c.card_payment_id from payment_card_shown c
        where c.last4 = sqlc.narg(last4) and c.card_payment_id > @above and c.card_payment_id < @below))
  and (sqlc.narg(requisites)::bigint[] is null or requisite_id = any(sqlc.narg(requisites)::bigint[]))
  and (sqlc.narg(after)::numeric is null
    or (amount * @sign::numeric, id) > (sqlc.narg(after)::numeric * @sign::numeric, @after_id::bigint))
order by amount * @sign::numeric, id limit @page;

-- ReportPaymentsStop is the row at which such a search stopped.
-- name: ReportPaymentsStop :one
select stop.id, stop.created_at from payment stop where stop.id = (
    select s.id from payment s
    where s.id > @above and s.id < @below
      and (sqlc.narg(merchant_id)::bigint is null or s.merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(trader_id)::bigint is null or s.trader_id = sqlc.narg(trader_id))
      and (sqlc.narg(ids)::bigint[] is null or s.id = any(sqlc.narg(ids)::bigint[]))
      and (sqlc.narg(status)::text is null or s.status = sqlc.narg(status))
      and (sqlc.narg(payer)::text is null or s.payer_user_id = sqlc.narg(payer))
    order by case when @backward::boolean then s.id end, s.id desc limit 1 offset @past
);

-- name: ReportPayouts :many
with listed as (
    select * from payin
    where id > @above and id < @below
      and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(trader_id)::bigint is null or trader_id = sqlc.narg(trader_id))
      and (sqlc.narg(ids)::bigint[] is null or id = any(sqlc.narg(ids)::bigint[]))
      and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
    order by case when @backward::boolean then id end, id desc limit @scan
)
select listed.* from listed
where (sqlc.narg(statuses)::text[] is null or status = any(sqlc.narg(statuses)::text[]))
  and created_at >= @created_from and created_at < @created_to
  and (sqlc.narg(cashbox_id)::bigint is null or cashbox_id = sqlc.narg(cashbox_id))
  and (sqlc.narg(method)::text is null or method = sqlc.narg(method))
  and (sqlc.narg(currency)::text is null or currency = sqlc.narg(currency))
  and (sqlc.narg(min_amount)::numeric is null or amount >= sqlc.narg(min_amount))
  and (sqlc.narg(max_amount)::numeric is null or amount <= sqlc.narg(max_amount))
  and (not @sought::boolean or id::text = sqlc.narg(last4)::text or right(address_mask, 4) = sqlc.narg(last4)
    or amount >= sqlc.narg(sum_from)::numeric and amount <= sqlc.narg(sum_to)::numeric
    or strpos(lower(order_id), sqlc.narg(part)::text) > 0)
  and (sqlc.narg(taken_until)::timestamptz is null
    or taken_at <= sqlc.narg(taken_until) or expires_at <= sqlc.narg(expired_by)::timestamptz)
order by case when @backward then id end, id desc limit @page;

-- name: ReportPayoutsStop :one
select stop.id, stop.created_at from payin stop where stop.id = (
    select s.id from payin s
    where s.id > @above and s.id < @below
      and (sqlc.narg(merchant_id)::bigint is null or s.merchant_id = sqlc.narg(merchant_id))
      and (sqlc.narg(trader_id)::bigint is null or s.trader_id = sqlc.narg(trader_id))
      and (sqlc.narg(ids)::bigint[] is null or s.id = any(sqlc.narg(ids)::bigint[]))
      and (sqlc.narg(status)::text is null or s.status = sqlc.narg(status))
    order by case when @backward::boolean then s.id end, s.id desc limit 1 offset @past
);

-- ReportCardsShown are the last four digits of the cards entered for payments, each named by merchant and id at the same place.
-- name: ReportCardsShown :many
select c.payment_id, c.last4, c.brand from payment_card c
where (c.merchant_id, c.payment_id) in (select unnest(@merchant_ids::bigint[]), unnest(@payment_ids::bigint[]));

-- name: ReportPayoutByID :one
select * from payin where id = @id;

-- ReportTransfers are what a subject has moved.
-- name: ReportTransfers :many
select * from transfer where subject_id = @subject_id and subject = @subject order by id;

-- ReportEvents are a subject's events.
-- name: ReportEvents :many
select merchant_id, id, type, url, created_at, status, sequence, substring(body from 1 for 4096)::bytea as body
from webhook_event
where merchant_id = @merchant_id and subject = @subject and subject_id = @subject_id order by sequence;

-- ReportAttempts are the attempts to deliver a subject's events, and the beginning of each answer.
-- name: ReportAttempts :many
select a.event_id, e.type, e.sequence, a.at, a.duration_ms, a.status_code,
    substring(a.answer from 1 for 200)::bytea as answer, a.error
from webhook_event e join webhook_attempt a on a.merchant_id = e.merchant_id and a.event_id = e.id
where e.merchant_id = @merchant_id and e.subject = @subject and e.subject_id = @subject_id
order by a.id limit @most;

-- name: ReportAppeal :one
select status, reason, status_at, actor, created_at, file_type, file_size from appeal
where merchant_id = @merchant_id and payment_id = @payment_id;

-- Statement lists what was moved to and from an account before a transfer, the latest first, or backward after it, the earliest
-- first. Its owner is the account's id without the last bit: one index has what any account of theirs gave, the other what came from
-- others.
-- name: Statement :many
select moved.* from (
    (select g.* from transfer g
     where (g.debit_account >> 1) = (@account_id::bigint >> 1)
       and (g.debit_account = @account_id::bigint or g.credit_account = @account_id::bigint)
       and g.created_at >= @from_at and g.created_at < @until_at
       and case when @backward::boolean then (g.created_at, g.id) > (@at::timestamptz, @id::bigint)
         else (g.created_at, g.id) < (@at, @id) end
     order by case when @backward then g.created_at end, case when @backward then g.id end, g.created_at desc, g.id desc
     limit @page)
    union all
    (select t.* from transfer t
     where (t.credit_account >> 1) = (@account_id::bigint >> 1) and (t.debit_account >> 1) <> (t.credit_account >> 1)
       and t.credit_account = @account_id::bigint
       and t.created_at >= @from_at and t.created_at < @until_at
       and case when @backward::boolean then (t.created_at, t.id) > (@at::timestamptz, @id::bigint)
         else (t.created_at, t.id) < (@at, @id) end
     order by case when @backward then t.created_at end, case when @backward then t.id end, t.created_at desc, t.id desc limit @page)
) moved
order by case when @backward then moved.created_at end, case when @backward then moved.id end, moved.created_at desc, moved.id desc
limit @page;

-- StatementMoved is what was moved to an account, less what was moved from it, after one transfer and up to another.
-- name: StatementMoved :one
select (coalesce((
    select sum(case when g.credit_account = @account_id::bigint then g.amount else -g.amount end) from transfer g
    where (g.debit_account >> 1) = (@account_id::bigint >> 1)
      and (g.debit_account = @account_id::bigint or g.credit_account = @account_id::bigint)
      and (g.created_at, g.id) > (@after_at::timestamptz, 0::bigint)
      and (g.created_at, g.id) <= (@until_at::timestamptz, @until_id::bigint)
), 0) + coalesce((
    select sum(t.amount) from transfer t
    where (t.credit_account >> 1) = (@account_id::bigint >> 1) and (t.debit_account >> 1) <> (t.credit_account >> 1)
      and t.credit_account = @account_id::bigint
      and (t.created_at, t.id) > (@after_at::timestamptz, 0::bigint)
      and (t.created_at, t.id) <= (@until_at::timestamptz, @until_id::bigint)
), 0))::numeric as moved;

-- ReportPaymentNames are the payments and payouts that transfers name, as people know them.
-- name: ReportPaymentNames :many
select id, uuid from payment where id = any(@ids::bigint[]);

-- name: ReportPayoutNames :many
select id, uuid from payin where id = any(@ids::bigint[]);

-- ReportCountDeposits counts what waits, up to so many, as all of these do.
-- name: ReportCountDeposits :one
select count(*) from (select 1 from deposit where status = 'pending' limit @most) counted;

-- name: ReportCountAppeals :one
select count(*) from (select 1 from appeal where status in ('open', 'in_review') limit @most) counted;

-- name: ReportCountCases :one
select count(*) from (select 1 from payment where status = 'appeal' and received_amount is not null limit @most) counted;

-- name: ReportCountObjections :one
select count(*) from (select from bank_message where state = 'objected' and outcome is null limit @most) counted;

-- name: ReportCountConflicts :one
select count(*) from (select from card_conflict where closed_at is null limit @most) counted;

-- name: ReportCountDeadEvents :one
select count(*) from (
    select 1 from webhook_event
    where status = 'dead' and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id))
    limit @most
) counted;

-- ReportEndpoints adds up the attempts to deliver to each of a merchant's hosts since a time, of the newest events, of the newest that
-- wait for another attempt and of the newest that were given up. Hosts where none failed are left out.
-- name: ReportEndpoints :many
with newest as (
    (select a.id, a.url, a.cashbox_id from webhook_event a where a.merchant_id = @merchant_id and a.number is not null order by a.number desc limit @most)
    union
    (select b.id, b.url, b.cashbox_id from webhook_event b where b.merchant_id = @merchant_id and b.status = 'pending' and b.number is not null
        order by b.number desc limit @most)
    union
    (select c.id, c.url, c.cashbox_id from webhook_event c where c.merchant_id = @merchant_id and c.status = 'dead' order by c.number desc limit @most)
), tried as (
    select lower(split_part(newest.url, '/', 3)) as host, newest.cashbox_id, t.at, t.status_code,
        t.status_code is null or t.status_code not between 200 and 299 as failed
    from newest join webhook_attempt t on t.merchant_id = @merchant_id and t.event_id = newest.id
    where t.at > @since
)
select host::text as host, count(*) as attempts, count(*) filter (where failed) as failures,
    max(at) filter (where failed)::timestamptz as last_at,
    coalesce((array_agg(status_code order by at desc) filter (where failed))[1], 0)::int as last_status,
    ((array_agg(cashbox_id order by at desc) filter (where failed))[1])::bigint as last_cashbox_id
from tried group by host having count(*) filter (where failed) > 0 order by failures desc, host limit 10;

-- name: ReportCountMerchantDeposits :one
select count(*) from (select 1 from deposit where merchant_id = @merchant_id and status = 'pending' limit @most) counted;

-- name: ReportCountMerchantAppeals :one
select count(*) from (
    select 1 from appeal where merchant_id = @merchant_id and status in ('open', 'in_review') limit @most
) counted;

-- ReportCountMessages counts a trader's messages of banks that wait, and their phones that count and were not heard since a time.
-- name: ReportCountMessages :one
select ((select count(*) from (select from bank_message b where b.trader_id = @trader_id and b.state = 'waiting' limit @most) waiting)
    + (select count(*) from counted_phone where trader_id = @trader_id and silent_since < @since::timestamptz))::bigint as count;

-- ReportCountProposals counts what waits for a second operator.
-- name: ReportCountProposals :one
select count(*) from (select from proposal where decision is null and expires_at > @now::timestamptz limit @most) counted;

-- ReportCountOverdue counts payouts that somebody took and did not end in time: a merchant's, or everybody's.
-- name: ReportCountOverdue :one
select count(*) from (
    select 1 from payin
    where (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id)) and status = 'processing' and (taken_at <= @taken_until::timestamptz or expires_at <= @now)
    limit @most
) counted;

-- name: ReportCashboxes :many
select id, name from cashbox where merchant_id = @merchant_id order by id limit @most;

-- ReportPaymentsByOrder finds the payments of one order id, of all merchants given.
-- name: ReportPaymentsByOrder :many
select p.* from payment_key k join payment p on p.merchant_id = k.merchant_id and p.id = k.payment_id
where k.merchant_id = any(@merchants::bigint[]) and k.channel = any(@channels::text[]) and k.order_id = @order_id
order by p.id desc limit 100;

-- ReportPayoutsByOrder finds the payouts of one order id, of all merchants given.
-- name: ReportPayoutsByOrder :many
select p.* from payin_key k join payin p on p.merchant_id = k.merchant_id and p.id = k.payin_id
where k.merchant_id = any(@merchants::bigint[]) and k.channel = any(@channels::text[]) and k.order_id = @order_id
order by p.id desc limit 100;

-- ReportPaymentsBegun finds payments whose order ids begin with a text, of all merchants given: the newest of the first thousand.
-- name: ReportPaymentsBegun :many
with named as (
    select k.merchant_id, k.payment_id from payment_key k
    where k.merchant_id = any(@merchants::bigint[]) and lower(k.order_id) ~>=~ @begins::text and lower(k.order_id) ~<~ @beyond::text
    limit 1000
), newest as (select n.merchant_id, n.payment_id from named n order by n.payment_id desc limit @page)
select p.* from newest n join payment p on p.merchant_id = n.merchant_id and p.id = n.payment_id
order by p.id desc;

-- ReportPayoutsBegun is the same of payouts.
-- name: ReportPayoutsBegun :many
with named as (
    select k.merchant_id, k.payin_id from payin_key k
    where k.merchant_id = any(@merchants::bigint[]) and lower(k.order_id) ~>=~ @begins::text and lower(k.order_id) ~<~ @beyond::text
    limit 1000
), newest as (select n.merchant_id, n.payin_id from named n order by n.payin_id desc limit @page)
select p.* from newest n join payin p on p.merchant_id = n.merchant_id and p.id = n.payin_id
order by p.id desc;

-- ReportPayerKnown tells whether a payer has a payment.
-- name: ReportPayerKnown :one
select exists (select 1 from payment where payer_user_id = @payer
    and (sqlc.narg(merchant_id)::bigint is null or merchant_id = sqlc.narg(merchant_id)));

-- ReportEarned adds up what a trader keeps of the payments and payouts that were completed in each slot of time, and in all as slot 0. Of
-- the payments half were confirmed within so many seconds from when the payer said that they have paid, or else from their creation.
-- name: ReportEarned :many
with ended as (
    select p.status_at as at, p.spread_trader_usdt as usdt,
        greatest(extract(epoch from p.status_at - coalesce(p.payer_claimed_at, p.created_at)), 0) as seconds
    from payment p
    where p.trader_id = @trader_id and p.status = 'completed' and not p.rate_unavailable and p.id > @payments_above
      and p.status_at >= @since::timestamptz
    union all
    select o.status_at, o.trader_usdt - o.spot_usdt, null from payin o
    where o.trader_id = @trader_id and o.status = 'completed' and o.id > @payouts_above and o.status_at >= @since::timestamptz
), slotted as (
    select width_bucket(ended.at, @starts::timestamptz[]) as slot, ended.usdt, ended.seconds as seconds from ended
)
select coalesce(slot, 0)::int as slot, count(*) as completed, coalesce(sum(usdt), 0)::numeric as usdt, count(seconds) as payments,
    coalesce(percentile_cont(0.5) within group (order by seconds), 0)::bigint as seconds
from slotted group by grouping sets ((slot), ()) order by 1;

-- ReportOwnerNames names merchants and traders.
-- name: ReportOwnerNames :many
select 'merchant'::text as kind, m.id, m.name from merchant m where m.id = any(@merchants::bigint[])
union all
select 'trader'::text as kind, t.id, t.name from trader t where t.id = any(@traders::bigint[]);

-- ReportFunnel tells of a merchant's newest payments of a time, by how they ended, how far their payers came.
-- name: ReportFunnel :many
with newest as (
    select * from payment p where p.merchant_id = @merchant_id and p.id > @above order by p.id desc limit @scan
)
select n.status, n.currency, n.method, coalesce(n.status_reason, '')::text as reason, count(*) as payments,
    count(*) filter (where n.payer_claimed_at is not null or n.status = 'completed') as claimed,
    count(*) filter (where n.payer_claimed_at is not null or n.status = 'completed' or exists (
        select 1 from payment_step s where s.merchant_id = @merchant_id and s.payment_id = n.id and s.what = 'page_opened'
    )) as opened,
    count(n.payer_claimed_at) as said
from newest n where n.created_at >= @from_at::timestamptz
group by n.status, n.currency, n.method, reason order by payments desc;

-- ReportTrader tells how the newest payments of a trader went, in each slot of time and in all as slot 0. Half of the completed ones were
-- confirmed within so many seconds from when the payer said that they have paid, or else from their creation.
-- name: ReportTrader :many
with newest as (
    select p.status, p.created_at, p.status_at, p.payer_claimed_at from payment p
    where p.trader_id = @trader_id and p.id > @above order by p.id desc limit @most
)
select coalesce(slot, 0)::int as slot, count(*) filter (where status = 'completed') as completed,
    count(*) filter (where status in ('completed', 'failed', 'cancelled')) as ended,
    coalesce(percentile_cont(0.5) within group (
        order by greatest(extract(epoch from status_at - coalesce(payer_claimed_at, created_at)), 0)
    ) filter (where status = 'completed'), 0)::bigint as seconds
from (select *, width_bucket(created_at, @starts::timestamptz[]) as slot from newest where created_at >= @since::timestamptz) as timed
group by grouping sets ((slot), ());

-- ReportTraderRequisites counts the requisites of traders, and those that are switched on and have not reached a limit of today.
-- name: ReportTraderRequisites :many
select r.trader_id, count(*) as requisites, count(*) filter (
    where r.enabled and r.own_enabled
      and (r.effective_daily_count is null or coalesce(d.count, 0) < r.effective_daily_count)
      and (r.effective_daily_sum is null or coalesce(d.sum, 0) < r.effective_daily_sum)
) as usable
from requisite r
left join requisite_day d on d.requisite_id = r.id and d.day = timezone(r.time_zone, @now::timestamptz)::date and d.version >= 0
where r.trader_id = any(@traders::bigint[]) group by r.trader_id;

-- ReportPayerPayments are the last payments of a merchant's payer, with the card that was entered for each.
-- name: ReportPayerPayments :many
with latest as (
    select p.merchant_id, p.id, p.status, p.status_reason, p.currency, p.amount, coalesce(p.settled_amount, p.amount) as settled,
        p.created_at, p.order_id
    from payment p
    where p.payer_user_id = @payer and p.merchant_id = @merchant_id
    order by p.id desc limit @most
)
select l.id, l.status, l.status_reason, l.currency, l.amount, l.settled::numeric as settled, l.created_at, l.order_id, c.brand, c.last4
from latest l left join payment_card c on c.merchant_id = l.merchant_id and c.payment_id = l.id
order by l.id desc;

-- ReportLatestPayments are the newest payments of all, with the greatest amount that the cashbox or the platform takes by their
-- method, 0 where there is none.
-- name: ReportLatestPayments :many
with latest as (
    select p.id, p.merchant_id, p.cashbox_id, p.method, p.trader_id, p.payer_user_id, p.status, p.currency, p.amount, p.created_at,
        p.status_at
    from payment p order by p.id desc limit @most
)
select l.id, l.merchant_id, l.trader_id, l.payer_user_id, l.status, l.currency, l.amount, l.created_at, l.status_at,
    coalesce(least(m.max_amount, c.max_amount), 0)::numeric as max_amount
from latest l
left join cashbox_method m on m.cashbox_id = l.cashbox_id and m.method = l.method
left join platform_limit c on c.currency = l.currency
order by l.id desc;
