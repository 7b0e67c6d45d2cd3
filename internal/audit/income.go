package audit

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
)

// incomeRules are the invariants of the platform's daily income.
var incomeRules = []rule{
	{name: "a day's income is what was moved to the platform and from it", prove: proveIncome},
}

// incomeBroken adds up the transfers at or after $1 and before $2, for each payment, payout and withdrawal.
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

// proveIncome adds up every closed day again, each with a snapshot of its own.
func proveIncome(ctx context.Context, pool db.Pool) ([]string, error) {
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
		found, err := askTexts(ctx, pool, incomeBroken, day, day.AddDate(0, 0, 1))
		if err != nil {
			return nil, fmt.Errorf("add up a day's income: %w", err)
		}
		broken = append(broken, found...)
	}
	return broken, nil
}
