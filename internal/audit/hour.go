package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// hourRules are the invariants of the hourly counts.
var hourRules = []rule{
	{
		name:   "what is counted of an hour's payments follows from their history",
		prove:  proveHours,
		recent: proveHoursSince,
	},
	{
		name:   "what is counted of a day's payments is the sum of its hours",
		prove:  proveSums,
		recent: proveSumsSince,
	},
}

// hourMost is how many payments an hour may have so that it is counted again
// each minute. Larger hours are left to the full audit.
const hourMost = 50_000

// hourBroken counts again the payments created at or after $1 and before $2. A
// payment is counted in the status of the last row of its history that was
// already counted, with what that settled, or else with what was asked.
const hourBroken = `
	with progress as materialized (
		select last_id from payment_hour_progress
	), seen as (
		select p.*, h.to_status, coalesce(h.settled_amount, p.amount) as worth, case when h.to_status = 'completed' then (
			select greatest(floor(extract(epoch from f.at - p.created_at)), 0) from payment_history f
			where f.merchant_id = p.merchant_id and f.payment_id = p.id and f.to_status = 'completed' order by f.id limit 1
		) end as took
		from payment p cross join lateral (
			select to_status, settled_amount from payment_history h
			where h.merchant_id = p.merchant_id and h.payment_id = p.id and h.id <= (select last_id from progress)
				and h.id not in (select id from payment_history_gap)
			order by h.id desc limit 1
		) h
		where p.created_at >= $1 and p.created_at < $2
	), expected as (
		select merchant_id, cashbox_id, method, currency, to_status as status,
			case when took is null then -1 else (
				select count(*) from unnest('{15,30,45,60,90,120,150,180,240,300,360,420,480,600,720,900,1200,1500,1800,2700,3600,
					7200,14400,28800,86400}'::int[]) bound where bound <= took
			) end as span,
			count(*) as payments, sum(worth) as amount, coalesce(sum(took), 0) as seconds
		from seen group by 1, 2, 3, 4, 5, 6
	), actual as (
		select merchant_id, cashbox_id, method, currency, status, span, payments, amount, seconds
		from payment_hour where hour >= $1 and hour < $2
	)
	select format('%s, merchant %s, cashbox %s, %s %s, %s, span %s: has %s payments of %s in %s s, should have %s of %s in %s s',
		to_char($1 at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), merchant_id, cashbox_id, method, currency, status, span,
		coalesce(a.payments, 0), coalesce(a.amount, 0), coalesce(a.seconds, 0),
		coalesce(e.payments, 0), coalesce(e.amount, 0), coalesce(e.seconds, 0))
	from expected e full join actual a using (merchant_id, cashbox_id, method, currency, status, span)
	where (coalesce(a.payments, 0), coalesce(a.amount, 0), coalesce(a.seconds, 0))
		<> (coalesce(e.payments, 0), coalesce(e.amount, 0), coalesce(e.seconds, 0))
	order by merchant_id, cashbox_id, method, currency, status, span`

// proveHours counts every hour again, each with a snapshot of its own.
func proveHours(ctx context.Context, pool db.Pool) ([]string, error) {
	const bounds = `select date_trunc('hour', least(
			(select min(hour) from payment_hour), (select min(created_at) from payment)), 'UTC'),
		greatest((select max(hour) from payment_hour), (select max(created_at) from payment))`
	var first, last *time.Time
	if err := pool.QueryRow(ctx, bounds).Scan(&first, &last); err != nil {
		return nil, fmt.Errorf("find the first hour: %w", err)
	}
	if first == nil || last == nil {
		return nil, nil
	}
	var hours []time.Time
	for hour := *first; !hour.After(*last); hour = hour.Add(time.Hour) {
		hours = append(hours, hour)
	}
	return askHours(ctx, pool, hours)
}

// proveHoursSince counts again the hours that have a payment with a transfer
// since a time.
func proveHoursSince(ctx context.Context, pool db.Pool, since time.Time) ([]string, error) {
	rows, _ := pool.Query(ctx, `
		select hour from (
			select distinct date_trunc('hour', p.created_at, 'UTC') as hour from payment p
			where p.id in (select subject_id from transfer where subject = 'payment' and created_at >= $1)
		) touched
		where (select coalesce(sum(payments), 0) from payment_hour h where h.hour = touched.hour) <= $2
		order by hour`, since, hourMost) // the rows report its error
	hours, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return nil, fmt.Errorf("find the hours: %w", err)
	}
	return askHours(ctx, pool, hours)
}

func askHours(ctx context.Context, pool db.Pool, hours []time.Time) ([]string, error) {
	var broken []string
	for _, hour := range hours {
		found, err := askTexts(ctx, pool, hourBroken, hour, hour.Add(time.Hour))
		if err != nil {
			return nil, fmt.Errorf("count an hour: %w", err)
		}
		broken = append(broken, found...)
	}
	return broken, nil
}

// sumBroken adds up the hours of merchants ($1) at or after $2 and before $3,
// which are whole days of UTC, and compares them with both stored sums.
const sumBroken = `
	with asked as (
		select * from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as a (merchant_id, since, until)
	), hours as (
		select h.* from asked a join payment_hour h on h.merchant_id = a.merchant_id and h.hour >= a.since and h.hour < a.until
	), expected as (
		select merchant_id, 'day' as of, date_trunc('day', hour, 'UTC') as at, method, currency, status, span,
			sum(payments) as payments, sum(amount) as amount
		from hours group by 1, 2, 3, 4, 5, 6, 7
		union all
		select merchant_id, 'hour', hour, method, currency, status, -1, sum(payments), 0 from hours group by 1, 2, 3, 4, 5, 6
	), actual as (
		select d.merchant_id, 'day' as of, day as at, method, currency, status, span, payments, amount
		from asked a join payment_day d on d.merchant_id = a.merchant_id and d.day >= a.since and d.day < a.until
		union all
		select c.merchant_id, 'hour', hour, method, currency, status, -1, payments, 0
		from asked a join payment_hour_count c on c.merchant_id = a.merchant_id and c.hour >= a.since and c.hour < a.until
	)
	select format('%s of %s, merchant %s, %s %s, %s, span %s: has %s payments of %s, its hours have %s of %s',
		of, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), merchant_id, method, currency, status, span,
		coalesce(a.payments, 0), coalesce(a.amount, 0), coalesce(e.payments, 0), coalesce(e.amount, 0))
	from expected e full join actual a using (merchant_id, of, at, method, currency, status, span)
	where (coalesce(a.payments, 0), coalesce(a.amount, 0)) <> (coalesce(e.payments, 0), coalesce(e.amount, 0))
	order by merchant_id, of, at, method, currency, status, span`

// proveSums adds up each merchant's hours again, with a snapshot of its own.
func proveSums(ctx context.Context, pool db.Pool) ([]string, error) {
	return askSums(ctx, pool, 1, `select id, 'epoch'::timestamptz, '9999-01-01Z'::timestamptz from merchant order by id`)
}

// proveSumsSince adds up again the days that have a payment with a transfer
// since a time.
func proveSumsSince(ctx context.Context, pool db.Pool, since time.Time) ([]string, error) {
	return askSums(ctx, pool, 500, `
		select merchant_id, day, day + interval '24 hours' from (
			select distinct merchant_id, date_trunc('day', created_at, 'UTC') as day from payment
			where id in (select subject_id from transfer where subject = 'payment' and created_at >= $1)
		) touched order by 2, 1`, since)
}

// askSums checks the times that a query finds, a given number of them at once.
func askSums(ctx context.Context, pool db.Pool, each int, which string, args ...any) ([]string, error) {
	rows, _ := pool.Query(ctx, which, args...) // the rows report its error
	var merchants []int64
	var begins, ends []time.Time
	var merchant int64
	var begin, end time.Time
	if _, err := pgx.ForEachRow(rows, []any{&merchant, &begin, &end}, func() error {
		merchants, begins, ends = append(merchants, merchant), append(begins, begin), append(ends, end)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find the days: %w", err)
	}
	var broken []string
	for from := 0; from < len(merchants); from += each {
		to := min(from+each, len(merchants))
		found, err := askTexts(ctx, pool, sumBroken, merchants[from:to], begins[from:to], ends[from:to])
		if err != nil {
			return nil, fmt.Errorf("add up hours: %w", err)
		}
		broken = append(broken, found...)
	}
	return broken, nil
}

// askTexts runs a query that returns a column of texts.
func askTexts(ctx context.Context, pool db.Pool, query string, args ...any) ([]string, error) {
	rows, _ := pool.Query(ctx, query, args...)      // the rows report its error
	return pgx.CollectRows(rows, pgx.RowTo[string]) //nolint:wrapcheck // who asks says for what
}
