-- RequisitesSince lists the requisites changed at a version or after it, each with the limits that hold and its last use.
-- name: RequisitesSince :many
select r.id, r.currency, r.method, r.trader_id, r.sealed, r.last4, r.holder, r.bank, r.enabled, (not r.own_enabled)::boolean as own_off,
    r.effective_min_amount as min_amount, r.effective_max_amount as max_amount, r.time_zone,
    r.effective_daily_count as daily_count, r.effective_daily_sum as daily_sum, r.effective_open_payments as open_payments,
    coalesce(to_char(r.work_from, 'HH24:MI:SS'), '')::text as work_from,
    coalesce(to_char(r.work_until, 'HH24:MI:SS'), '')::text as work_until,
    coalesce(to_char(r.own_work_from, 'HH24:MI:SS'), '')::text as own_work_from,
    coalesce(to_char(r.own_work_until, 'HH24:MI:SS'), '')::text as own_work_until,
    coalesce(r.own_time_zone, r.time_zone)::text as own_time_zone, r.weight,
    coalesce((select max(d.used_at) from requisite_day d where d.requisite_id = r.id), 'epoch')::timestamptz as used_at
from requisite r where r.version >= @version;

-- RequisiteFacts is how requisites stand that may do for a payment, each for an amount of its own and on its own day. Of a slot
-- that is taken until a known time it says when, and else the epoch. A slot is that of all requisites with the same value. The
-- accounts of the traders are read once: thousands of requisites have few traders.
-- name: RequisiteFacts :many
with standing as materialized (
    select b.account_id,
        b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0) as available
    from account_balance b
    where b.account_id = any(array(select unnest(@traders::bigint[]) * 8 + 6))
)
select r.id, (r.enabled and r.own_enabled and t.enabled and not t.on_break)::boolean as switched_on,
    coalesce(d.count, 0)::integer as count, coalesce(d.sum, 0)::numeric as sum,
    (select count(*) from requisite_slot o
     where o.requisite_id = asked.id and o.free_at = 'infinity' and r.effective_open_payments is not null)::integer as open_payments,
    (s.hash is not null)::boolean as taken,
    (case when s.free_at < 'infinity' then s.free_at else 'epoch' end)::timestamptz as slot_free_at,
    standing.available::numeric as available
from (select unnest(@ids::bigint[]) as id, unnest(@days::date[]) as day, unnest(@amounts::numeric[]) as amount) asked
join requisite r on r.id = asked.id
join trader t on t.id = r.trader_id
join standing on standing.account_id = r.trader_id * 8 + 6
left join lateral (
    select n.count, n.sum from requisite_day n where n.requisite_id = asked.id and n.day = asked.day order by n.version desc limit 1
) d on true
left join requisite_slot s on s.hash = r.hash and s.amount = asked.amount and s.free_at > @now::timestamptz;

-- RequisiteUses is what requisites were given on a day of their own each, what is open on them now, and when they were last
-- used, as far as their days are kept. Open is what RequisiteTake counts by the limit. A desk has no slots, so that what is open
-- is counted among the payments.
-- name: RequisiteUses :many
select asked.id::bigint as id, coalesce(d.count, 0)::integer as count, coalesce(d.sum, 0)::numeric as sum,
    coalesce((select max(u.used_at) from requisite_day u where u.requisite_id = asked.id), 'epoch')::timestamptz as used_at,
    (case when exists (select from requisite r where r.id = asked.id and r.hash is not null)
        then (select count(*) from requisite_slot o where o.requisite_id = asked.id and o.free_at = 'infinity')
        else coalesce(open.count, 0) end)::integer as open_payments
from (select unnest(@ids::bigint[]) as id, unnest(@days::date[]) as day) asked
left join requisite_day d on d.requisite_id = asked.id and d.day = asked.day and d.version >= 0
left join (
    select p.requisite_id, count(*) as count from payment p
    where p.trader_id = @trader_id and p.status = 'pending' group by p.requisite_id
) open on open.requisite_id = asked.id;

-- RequisiteLock has payments for a requisite wait for one another where the number of those open is limited: nothing else
-- that they write in common would keep two that are counted on different days apart.
-- name: RequisiteLock :exec
select id from requisite where id = @id and effective_open_payments is not null for no key update;

-- RequisiteTake counts a payment towards its requisite's day and takes the slot of its value and amount, but for a desk, which
-- has none.
-- By its version the index leads to a day's newest row, past the dead ones that an old snapshot keeps. Of two payments that
-- both open a day the later violates requisite_day_pkey, and its transaction is made again.
-- What the requisite does not allow violates a constraint: requisite_day_count (also where it is switched off or its trader on a
-- break, since then it may be counted on no time, and where it is gone), requisite_day_sum, or requisite_slot_free.
-- It takes several payments, each on a requisite of its own, where asked has a row for each. A slot must be free at the earliest of
-- their times: who is refused by that is asked alone.
-- name: RequisiteTake :exec
with asked as (
    select @id::bigint as id, @day::date as day, @amount::numeric as amount, @payment_id::bigint as payment_id, @now::timestamptz as now,
        @desk::boolean as desk
), rule as (
    select asked.id, asked.day, asked.amount, asked.payment_id, asked.now, asked.desk, r.hash,
        r.enabled and r.own_enabled and t.enabled and not t.on_break as enabled, r.effective_daily_count as daily_count,
        r.effective_daily_sum as daily_sum, r.effective_open_payments as open_payments,
        (select max(n.version) from requisite_day n where n.requisite_id = asked.id and n.day = asked.day) as newest
    from asked left join requisite r on r.id = asked.id left join trader t on t.id = r.trader_id
), counted as (
    update requisite_day d set count = d.count + 1, sum = d.sum + rule.amount,
        count_limit = case when rule.enabled then rule.daily_count else 0 end, sum_limit = rule.daily_sum, used_at = rule.now,
        changes = d.changes + 1
    from rule where d.requisite_id = rule.id and d.day = rule.day and d.version >= rule.newest
    returning d.requisite_id
), opened as (
    insert into requisite_day (requisite_id, day, count, sum, count_limit, sum_limit, used_at, changes)
    select rule.id, rule.day, n, n * rule.amount, case when n = 0 then null when enabled then daily_count else 0 end,
        case n when 1 then daily_sum end, case n when 1 then rule.now end, n - 1
    from rule, generate_series(0, 1) n where rule.newest is null
    returning requisite_id, version
)
insert into requisite_slot as s (requisite_id, amount, payment_id, free_at, hash)
-- A null limit is asked for first: comparing with it would count the slots all the same.
select rule.id, rule.amount, rule.payment_id, case when open_payments is null then 'infinity'
    when open_payments <= (
        select count(*) from requisite_slot o where o.requisite_id = rule.id and o.free_at = 'infinity'
    ) then '-infinity' else 'infinity' end::timestamptz, rule.hash
from (select requisite_id from counted union all select requisite_id from opened where version >= 0) given
join rule on rule.id = given.requisite_id where not rule.desk
on conflict (hash, amount) do update set requisite_id = excluded.requisite_id, payment_id = excluded.payment_id,
    free_at = case when s.free_at <= (select min(asked.now) from asked) then excluded.free_at else '-infinity' end;

-- RequisiteNextID gives the id of a requisite before it is written: its value is sealed for that.
-- name: RequisiteNextID :one
select nextval(pg_get_serial_sequence('requisite', 'id'))::bigint;

-- name: RequisiteInsert :one
insert into requisite (id, currency, method, trader_id, sealed, hash, last4, holder, bank, min_amount, max_amount, created_at)
select @id, @currency, @method, t.id, @sealed, @hash, @last4, @holder, @bank, @min_amount, @max_amount, @now
from trader t where t.id = @trader_id
returning id;

-- RequisiteIsDesk reports whether a requisite is a desk that takes cards.
-- name: RequisiteIsDesk :one
select (sealed is null)::boolean from requisite where id = @id;

-- RequisiteSetting locks a requisite and reads its settings, with the last four characters of its value. What follows from them
-- is left out.
-- name: RequisiteSetting :one
select (to_jsonb(r) - array['version', 'effective_min_amount', 'effective_max_amount', 'effective_daily_count', 'effective_daily_sum',
    'effective_open_payments', 'sealed', 'hash', 'last4']
    || jsonb_build_object('value', case when r.sealed is null then '' else '•••• ' || r.last4 end))::jsonb
from requisite r where r.id = @id for no key update;

-- RequisiteOwn reads a requisite for its trader. To anybody else there is none.
-- name: RequisiteOwn :one
select * from requisite where id = @id and trader_id = @trader_id;

-- RequisiteListOwn lists a trader's requisites.
-- name: RequisiteListOwn :many
select * from requisite where trader_id = @trader_id order by id;

-- RequisitePageOwn lists a trader's requisites by their ids: those of a method, with an ending of their value, or with a text in
-- their holder or bank; of named ones, where any are named.
-- name: RequisitePageOwn :many
select * from requisite r
where r.trader_id = @trader_id and r.id > @after_id
  and (@currency::text = '' or r.currency = @currency) and (@method::text = '' or r.method = @method)
  and (@ending::text = '' or right(r.last4, length(@ending)) = @ending)
  and (@search::text = '' or strpos(lower(concat(r.holder, chr(10), r.bank)), lower(@search)) > 0)
  and (sqlc.narg(ids)::bigint[] is null or r.id = any(sqlc.narg(ids)::bigint[]))
order by r.id limit @page;

-- RequisiteList lists requisites, the newest first, each with its settings as RequisiteSetting reads them. They are found by
-- id, by the whole value (hashes) or its last four characters (ending), or by holder or bank (search).
-- name: RequisiteList :many
select r.id, (to_jsonb(r) - array['version', 'effective_min_amount', 'effective_max_amount', 'effective_daily_count',
    'effective_daily_sum', 'effective_open_payments', 'sealed', 'hash', 'last4']
    || jsonb_build_object('value', case when r.sealed is null then '' else '•••• ' || r.last4 end))::jsonb
    as setting, t.name as trader_name
from requisite r join trader t on t.id = r.trader_id
where r.id < @before_id
  and (sqlc.narg(id)::bigint is null or r.id = sqlc.narg(id))
  and (sqlc.narg(trader_id)::bigint is null or r.trader_id = sqlc.narg(trader_id))
  and (sqlc.narg(currency)::text is null or r.currency = sqlc.narg(currency))
  and (sqlc.narg(method)::text is null or r.method = sqlc.narg(method))
  and (sqlc.narg(ending)::text is null or r.id = sqlc.narg(search_id)::bigint
    or r.last4 = sqlc.narg(ending) or r.hash = any(@hashes::bytea[]))
  and (sqlc.narg(search)::text is null
    or strpos(lower(r.holder), lower(sqlc.narg(search))) > 0 or strpos(lower(r.bank), lower(sqlc.narg(search))) > 0)
  and (sqlc.narg(switched_on)::boolean is null or r.enabled = sqlc.narg(switched_on))
order by r.id desc limit @page;

-- name: RequisiteValue :one
select sealed from requisite where id = @id;

-- RequisitesOfValue are those that have a value, by its hashes.
-- name: RequisitesOfValue :many
select id from requisite where hash = any(@hashes::bytea[]) order by id;

-- ZoneTry fails if the database does not know a time zone, by which it counts a requisite's day.
-- name: ZoneTry :exec
select timezone(@zone::text, @now::timestamptz);
