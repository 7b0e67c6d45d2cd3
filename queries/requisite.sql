-- RequisiteChoose locks the free requisite that was used longest ago, passing by those that others are just using. What
-- lies in other tables is asked candidate by candidate, in the order of the index: the first few nearly always do. Its
-- rules stand again in RequisiteAwait and, one by one, in RequisiteExplain; a test holds the three together.
-- name: RequisiteChoose :one
select r.id, r.trader_id, r.value, r.holder, r.bank, r.trader_rate_percent, r.trader_share_percent, r.open_payments,
    local_time(r.time_zone, @now::timestamptz)::date as day
from requisite r
where r.currency = @currency and r.method = @method and r.active
  and @amount::numeric between r.min_amount and r.max_amount
  and r.trader_id <> all(@without_traders::bigint[])
  and (r.work_from is null or case when r.work_from <= r.work_until
      then local_time(r.time_zone, @now::timestamptz)::time >= r.work_from
          and local_time(r.time_zone, @now::timestamptz)::time < r.work_until
      else local_time(r.time_zone, @now::timestamptz)::time >= r.work_from
          or local_time(r.time_zone, @now::timestamptz)::time < r.work_until end)
  and (r.daily_sum is null or @amount::numeric <= r.daily_sum)
  and (r.daily_count is null and r.daily_sum is null or not exists (select from requisite_day d
      where d.requisite_id = r.id and d.day = local_time(r.time_zone, @now::timestamptz)::date
        and (d.count >= r.daily_count or d.sum + @amount::numeric > r.daily_sum)))
  and (r.open_payments is null or r.open_payments >
      (select count(*) from requisite_slot o where o.requisite_id = r.id and o.free_at = 'infinity'))
  and (select s.free_at > @now::timestamptz from requisite_slot s
      where s.requisite_id = r.id and s.amount = @amount::numeric) is not true
order by r.last_used_at, r.weight desc, r.id limit 1
for no key update of r skip locked;

-- RequisiteAwait is RequisiteChoose that waits for a requisite somebody is just using. No row: there is none to wait for.
-- name: RequisiteAwait :one
select r.id, r.trader_id, r.value, r.holder, r.bank, r.trader_rate_percent, r.trader_share_percent, r.open_payments,
    local_time(r.time_zone, @now::timestamptz)::date as day
from requisite r
where r.currency = @currency and r.method = @method and r.active
  and @amount::numeric between r.min_amount and r.max_amount
  and r.trader_id <> all(@without_traders::bigint[])
  and (r.work_from is null or case when r.work_from <= r.work_until
      then local_time(r.time_zone, @now::timestamptz)::time >= r.work_from
          and local_time(r.time_zone, @now::timestamptz)::time < r.work_until
      else local_time(r.time_zone, @now::timestamptz)::time >= r.work_from
          or local_time(r.time_zone, @now::timestamptz)::time < r.work_until end)
  and (r.daily_sum is null or @amount::numeric <= r.daily_sum)
  and (r.daily_count is null and r.daily_sum is null or not exists (select from requisite_day d
      where d.requisite_id = r.id and d.day = local_time(r.time_zone, @now::timestamptz)::date
        and (d.count >= r.daily_count or d.sum + @amount::numeric > r.daily_sum)))
  and (r.open_payments is null or r.open_payments >
      (select count(*) from requisite_slot o where o.requisite_id = r.id and o.free_at = 'infinity'))
  and (select s.free_at > @now::timestamptz from requisite_slot s
      where s.requisite_id = r.id and s.amount = @amount::numeric) is not true
order by r.last_used_at, r.weight desc, r.id limit 1
for no key update of r;

-- RequisiteExplain lists a pool in the order of choice, each with the first rule that drops it. Whether its trader has
-- the USDT shows only against the payment's worth.
-- name: RequisiteExplain :many
select r.id, r.trader_id, r.weight, greatest(r.last_used_at, 'epoch')::timestamptz as last_used_at,
    r.trader_rate_percent, r.trader_share_percent,
    (case
        when not t.enabled then 'trader_off'
        when not r.enabled then 'requisite_off'
        when @amount::numeric not between r.min_amount and r.max_amount then 'amount_limits'
        when case when r.work_from <= r.work_until
            then local_time(r.time_zone, @now::timestamptz)::time < r.work_from
                or local_time(r.time_zone, @now::timestamptz)::time >= r.work_until
            else local_time(r.time_zone, @now::timestamptz)::time < r.work_from
                and local_time(r.time_zone, @now::timestamptz)::time >= r.work_until end then 'working_hours'
        when coalesce(d.count, 0) >= r.daily_count then 'daily_count'
        when coalesce(d.sum, 0) + @amount::numeric > r.daily_sum then 'daily_sum'
        when r.open_payments <= (select count(*) from requisite_slot o
            where o.requisite_id = r.id and o.free_at = 'infinity') then 'open_limit'
        when exists (select from requisite_slot s
            where s.requisite_id = r.id and s.amount = @amount::numeric and s.free_at > @now::timestamptz) then 'slot_taken'
        else '' end)::text as dropped_by,
    (a.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = a.id), 0))::numeric as available
from requisite r
join trader t on t.id = r.trader_id
join account a on a.owner_kind = 'trader' and a.owner_id = r.trader_id and a.purpose = 'available'
left join requisite_day d on d.requisite_id = r.id and d.day = local_time(r.time_zone, @now::timestamptz)::date
where r.currency = @currency and r.method = @method
order by r.last_used_at, r.weight desc, r.id;

-- name: RequisiteInsert :one
insert into requisite (currency, method, trader_id, value, holder, bank, active, trader_rate_percent,
                       trader_share_percent, min_amount, max_amount, created_at)
select @currency, @method, t.id, @value, @holder, @bank, t.enabled, t.rate_percent, t.share_percent,
       @min_amount, @max_amount, @now
from trader t where t.id = @trader_id
returning id;

-- RequisiteIsDesk reports whether a requisite is a desk that takes cards.
-- name: RequisiteIsDesk :one
select (value = '')::boolean from requisite where id = @id;

-- RequisiteSetting locks a requisite and reads its settings.
-- name: RequisiteSetting :one
select (to_jsonb(r) - 'last_used_at')::jsonb from requisite r where r.id = @id for no key update;

-- RequisiteUpdate changes what is given. Of the limits that can be cleared, the set_ flags tell unset from cleared.
-- name: RequisiteUpdate :exec
update requisite set enabled = coalesce(sqlc.narg(enabled), requisite.enabled),
    active = coalesce(sqlc.narg(enabled), requisite.enabled) and t.enabled,
    holder = coalesce(sqlc.narg(holder), holder), bank = coalesce(sqlc.narg(bank), bank),
    min_amount = coalesce(sqlc.narg(min_amount), min_amount), max_amount = coalesce(sqlc.narg(max_amount), max_amount),
    time_zone = coalesce(sqlc.narg(time_zone), time_zone), weight = coalesce(sqlc.narg(weight), weight),
    daily_count = case when @set_daily_count::boolean then sqlc.narg(daily_count) else daily_count end,
    daily_sum = case when @set_daily_sum::boolean then sqlc.narg(daily_sum) else daily_sum end,
    open_payments = case when @set_open_payments::boolean then sqlc.narg(open_payments) else open_payments end,
    work_from = case when @set_hours::boolean then sqlc.narg(work_from)::text::time else work_from end,
    work_until = case when @set_hours::boolean then sqlc.narg(work_until)::text::time else work_until end
from trader t where requisite.id = @id and t.id = requisite.trader_id;

-- RequisiteFollowTrader renews the copies of a trader's terms that his requisites keep.
-- name: RequisiteFollowTrader :exec
update requisite set active = requisite.enabled and t.enabled, trader_rate_percent = t.rate_percent,
    trader_share_percent = t.share_percent
from trader t where t.id = @trader_id and requisite.trader_id = t.id;

-- TimeZoneKnown reports whether the database, which tells requisites' local time, knows a zone by that name.
-- name: TimeZoneKnown :one
select zone_known(@name::text)::boolean;
