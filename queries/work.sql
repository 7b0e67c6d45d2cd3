-- WorkDeposits and its like list what waits for operators, the oldest first.
-- name: WorkDeposits :many
select id, amount, created_at from deposit where status = 'pending' order by id limit @most;

-- WorkWithdrawals lists those that are to be decided, and those that were stopped because another transfer was seen.
-- name: WorkWithdrawals :many
select id, amount, status_at from withdrawal
where status = 'requested' or status = 'handed_over' and mismatch is not null order by status_at, id limit @most;

-- name: WorkAppeals :many
select a.id, a.created_at, p.amount, p.currency, p.order_id from appeal a
join payment p on p.merchant_id = a.merchant_id and p.id = a.payment_id
where a.status in ('open', 'in_review') order by a.id limit @most;

-- WorkCases lists the payments of which another amount came, in the order in which they would fail undecided.
-- name: WorkCases :many
select id, order_id, status_at, received_amount, currency from payment
where status = 'appeal' and received_amount is not null order by expires_at, id limit @most;

-- WorkObjections lists the payments that a message confirmed and to which their trader objects.
-- name: WorkObjections :many
select id, coalesce(payment_id, 0)::bigint as payment_id, decided_at, amount, currency from bank_message
where state = 'objected' and outcome is null order by id limit @most;

-- WorkAppealAnswers lists the appeals with messages of traders that no operator has read.
-- name: WorkAppealAnswers :many
select appeal_id, last_at, operator_unread from appeal_thread where operator_unread > 0 order by last_at limit @most;

-- name: WorkOverdue :many
select id, uuid, taken_at::timestamptz as taken_at, amount, currency from payin
where status = 'processing' and (taken_at <= @taken_until::timestamptz or expires_at <= @now)
order by taken_at limit @most;

-- name: WorkConflicts :many
select id, payment_id, created_at from card_conflict where closed_at is null order by id limit @most;

-- WorkDeadEvents counts the events of each merchant that were given up, no further than so many.
-- name: WorkDeadEvents :many
select m.id, m.name, dead.created_at::timestamptz as created_at, least(dead.events, @counted::bigint)::integer as events
from merchant m
join (
    select merchant_id, min(created_at) as created_at, count(*) as events from webhook_event
    where status = 'dead' group by merchant_id
) dead on dead.merchant_id = m.id
order by dead.created_at, m.id limit @most;

-- name: WorkFeeds :many
select id, currency, polled_at from rate_feed where enabled and error is not null order by polled_at, id limit @most;

-- WorkOverdrawn lists the accounts that a forced debit has left below zero, what is pending counted in.
-- name: WorkOverdrawn :many
select held.id, held.owner_kind, held.owner_id, held.purpose, held.balance::numeric as balance from (
    select a.id, a.owner_kind, a.owner_id, a.purpose,
        b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0) as balance
    from account_balance b join account a on a.id = b.account_id
    where b.overdrawn
) held
where held.balance < 0 order by held.balance, held.id limit @most;

-- WorkShortTraders lists traders who take payments and have too few USDT for more: none available, or less than their open payments
-- hold.
-- name: WorkShortTraders :many
with standing as (
    select b.account_id,
        b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0) as balance
    from account_balance b where b.account_id % 8 in (6, 7)
)
select t.id, t.name, free.balance::numeric as available from trader t
join standing free on free.account_id = t.id * 8 + 6
join standing held on held.account_id = t.id * 8 + 7
where t.enabled and not t.on_break and (free.balance <= 0 or free.balance < held.balance)
  and exists (select from requisite r where r.trader_id = t.id and r.enabled and r.own_enabled)
order by free.balance, t.id limit @most;

-- WorkIdleTraders lists traders who work and whose requisites are all switched off or have reached a limit of today.
-- name: WorkIdleTraders :many
select t.id, t.name from trader t
where t.enabled and not t.on_break
  and exists (select from requisite own where own.trader_id = t.id)
  and not exists (
    select from requisite r
    left join requisite_day d on d.requisite_id = r.id and d.day = timezone(r.time_zone, @now::timestamptz)::date and d.version >= 0
    where r.trader_id = t.id and r.enabled and r.own_enabled
      and (r.effective_daily_count is null or coalesce(d.count, 0) < r.effective_daily_count)
      and (r.effective_daily_sum is null or coalesce(d.sum, 0) < r.effective_daily_sum)
)
order by t.id limit @most;

-- WorkWaits reports whether something waits for operators still.
-- name: WorkWaits :one
select (case @kind::text
    when 'deposit' then exists (select 1 from deposit d where d.id = @subject_id::bigint and d.status = 'pending')
    when 'withdrawal' then exists (select 1 from withdrawal w where w.id = @subject_id::bigint
        and (w.status = 'requested' or w.status = 'handed_over' and w.mismatch is not null))
    when 'appeal' then exists (select 1 from appeal a where a.id = @subject_id::bigint and a.status in ('open', 'in_review'))
    when 'other_amount' then exists (select 1 from payment p where p.id = @subject_id::bigint and p.status = 'appeal'
        and p.received_amount is not null)
    when 'objection' then exists (select 1 from bank_message b where b.id = @subject_id::bigint and b.state = 'objected'
        and b.outcome is null)
    when 'appeal_answer' then exists (select 1 from appeal_thread t where t.appeal_id = @subject_id::bigint and t.operator_unread > 0)
    when 'overdue_payout' then exists (select 1 from payin p where p.id = @subject_id::bigint and p.status = 'processing')
    when 'card_conflict' then exists (select 1 from card_conflict c where c.id = @subject_id::bigint and c.closed_at is null)
    when 'dead_events' then exists (select 1 from webhook_event e where e.merchant_id = @subject_id::bigint and e.status = 'dead')
    when 'rate_feed' then exists (select 1 from rate_feed f where f.id = @subject_id::bigint and f.enabled and f.error is not null)
    when 'overdrawn_account' then exists (select 1 from account_balance b where b.account_id = @subject_id::bigint and b.overdrawn)
    else exists (select 1 from trader t where t.id = @subject_id::bigint and t.enabled)
end)::boolean as waits;
