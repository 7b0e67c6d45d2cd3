package audit

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
)

// incomeRules are the invariants of the platform's daily income.
var incomeRules = []rule{
	{name: "a day's income is what was moved to the platform and from it", prove: eachDay(incomeBroken)},
	{name: "a day's volume is what its income was earned on", prove: eachDay(volumeBroken)},
}

// incomeBroken adds up the transfers at or after $1 and before $2, for each
// payment, payout and withdrawal.
const incomeBroken = `
	with moved as (
		select t.subject, t.subject_id, sum(case when m.amount > 0 then m.amount else 0 end) as earned,
			sum(case when m.amount < 0 then -m.amount else 0 end) as reversed
		from transfer t
		cross join lateral (values (t.debit_account, -t.amount), (t.credit_account, t.amount)) m (account_id, amount)
		where t.created_at >= $1 and t.created_at < $2 and m.account_id = 2 and t.subject in ('payment', 'payin', 'withdrawal')
			and 1 in (t.debit_account >> 1, t.credit_account >> 1)
		group by t.subject, t.subject_id
	), expected as (
		select coalesce(p.merchant_id, o.merchant_id, case when w.cashbox_id is null then 0 else w.owner_id end) as merchant_id,
			m.subject, coalesce(p.method, o.method, w.network) as method, coalesce(p.currency, o.currency, 'USDT') as currency,
			sum(m.earned) as earned, sum(m.reversed) as reversed
		from moved m
		left join payment p on m.subject = 'payment' and p.id = m.subject_id
		left join payin o on m.subject = 'payin' and o.id = m.subject_id
		left join withdrawal w on m.subject = 'withdrawal' and w.id = m.subject_id
		group by 1, 2, 3, 4
	), actual as (
		select merchant_id, subject, method, currency, earned, reversed from income_day
		where day = ($1::timestamptz at time zone 'UTC')::date
	)
	select format('%s, merchant %s, %s %s %s: has %s and %s reversed, should have %s and %s',
		to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD'), merchant_id, subject, method, currency,
		coalesce(a.earned, 0), coalesce(a.reversed, 0), coalesce(e.earned, 0), coalesce(e.reversed, 0))
	from expected e full join actual a using (merchant_id, subject, method, currency)
	where (coalesce(a.earned, 0), coalesce(a.reversed, 0)) <> (coalesce(e.earned, 0), coalesce(e.reversed, 0))
	order by 1`

// volumeBroken adds up what was settled by the changes that moved something to
// the platform or from it, at or after $1 and before $2. A payment is worth
// what its history says was settled, or else what was asked, at its own rate
// and less the trader's share: by the change itself, or by the completion
// before it that it takes back, or that has waited for its rate. Days that were
// closed before their volume was kept have none.
var volumeBroken = `
	with moved as materialized (
		select t.id, t.subject, t.subject_id, t.kind, t.created_at, case when t.kind like '%-completed' then 1 else -1 end as sign
		from transfer t
		where t.created_at >= $1 and t.created_at < $2 and t.subject in ('payment', 'payin', 'withdrawal')
			and 2 in (t.debit_account, t.credit_account)
	), settled as materialized (
		select p.id, p.merchant_id, p.method, p.currency, p.base_rate, p.markup_percent, p.trader_share_percent * 0.01 as share,
			h.id as history_id, h.at, h.from_status || '-' || h.to_status as kind, coalesce(case h.to_status when 'completed' then h.settled_amount
				else lag(h.settled_amount) over (partition by h.merchant_id, h.payment_id order by h.id) end, p.amount) as settled
		from payment p join payment_history h on h.merchant_id = p.merchant_id and h.payment_id = p.id
		where p.id in (select subject_id from moved where subject = 'payment')
	), worth as (
		(select distinct on (m.id) p.merchant_id, m.subject, p.method, p.currency,
			m.sign * (spot - least(spot - usdt, trunc(spot * p.share, 8))) as amount
		from moved m join settled p on m.subject = 'payment' and p.id = m.subject_id and (p.at = m.created_at and p.kind = m.kind
			or m.kind = 'completed-completed' and p.kind like '%-completed' and p.at <= m.created_at)
		cross join lateral (values (` + quoted("p.settled") + `)) q (spot, usdt)
		order by m.id, p.history_id desc)
		union all
		select o.merchant_id, m.subject, o.method, o.currency, m.sign * o.frozen_usdt
		from moved m join payin o on m.subject = 'payin' and o.id = m.subject_id
		union all
		select case when w.cashbox_id is null then 0 else w.owner_id end, m.subject, w.network, 'USDT', m.sign * w.amount
		from moved m join withdrawal w on m.subject = 'withdrawal' and w.id = m.subject_id
	), expected as (
		select merchant_id, subject, method, currency, sum(amount) as volume from worth group by 1, 2, 3, 4
	), actual as (
		select merchant_id, subject, method, currency, volume from income_day
		where day = ($1::timestamptz at time zone 'UTC')::date and volume is not null
	)
	select format('%s, merchant %s, %s %s %s: has volume %s, should have %s',
		to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD'), merchant_id, subject, method, currency, a.volume, coalesce(e.volume, 0))
	from actual a left join expected e using (merchant_id, subject, method, currency)
	where a.volume <> coalesce(e.volume, 0)
	order by 1`

// eachDay asks a query about every closed day, each with a snapshot of its own.
func eachDay(query string) func(ctx context.Context, pool db.Pool) ([]string, error) {
	return func(ctx context.Context, pool db.Pool) ([]string, error) { return askDays(ctx, pool, query) }
}

// askDays asks a query about each closed day, the oldest first, and returns
// what it finds broken. A day that is not closed yet is not looked at. Without
// closed days there is nothing to find.
func askDays(ctx context.Context, pool db.Pool, query string) ([]string, error) {
	const bounds = `select date_trunc('day', least((select min(created_at) from transfer), (select min(day)::timestamp at time zone 'UTC'
			from income_day)), 'UTC'),
		(select day::timestamp at time zone 'UTC' from income_day_closed)`
	var first, last *time.Time
	if err := pool.QueryRow(ctx, bounds).Scan(&first, &last); err != nil {
		return nil, fmt.Errorf("find the days of income: %w", err)
	}
	if first == nil || last == nil {
		return nil, nil
	}
	var broken []string
	for day := *first; !day.After(*last); day = day.AddDate(0, 0, 1) {
		found, err := askTexts(ctx, pool, query, day, day.AddDate(0, 0, 1))
		if err != nil {
			return nil, fmt.Errorf("add up a day's income: %w", err)
		}
		broken = append(broken, found...)
	}
	return broken, nil
}
