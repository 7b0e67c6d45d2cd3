package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// proveBalances adds up the transfers of every account and compares the sums
// with the balances. It adds up in ranges, each with a short snapshot, up to an
// id below which no transfer can still be committed. The few transfers after
// that are read in one statement together with the balances.
func proveBalances(ctx context.Context, pool db.Pool) ([]string, error) {
	moved := map[int64]decimal.Decimal{}
	var past int64
	for {
		last, err := lastForGood(ctx, pool)
		if err != nil {
			return nil, err
		}
		ranges := 0
		for ; past < last; ranges++ {
			to, _, err := rangeEnd(ctx, pool, "transfer", past, last)
			if err != nil {
				return nil, err
			}
			if err := addUp(ctx, pool, moved, past, to); err != nil {
				return nil, err
			}
			past = to
		}
		if ranges <= 1 {
			return compareBalances(ctx, pool, moved, past)
		}
	}
}

const (
	// writersLeave is how long it waits for open transactions that write
	// transfers. No such transaction lasts that long.
	writersLeave = time.Minute
	// writersPause is the pause between two checks whether they have ended.
	writersPause = 20 * time.Millisecond
)

var errWriterStays = errors.New("a transaction that wrote transfers has been open for too long")

// lastForGood finds the last transfer before which no other can appear. Ids are
// taken before a transaction commits, so it waits until all transactions have
// ended that may have taken a lower id. They are recognised by their lock on
// the table.
func lastForGood(ctx context.Context, pool db.Pool) (int64, error) {
	const (
		newest  = "select coalesce(max(id), 0) from transfer"
		writing = `select coalesce(array_agg(distinct virtualtransaction), '{}') from pg_locks
			where locktype = 'relation' and relation = 'transfer'::regclass and mode = 'RowExclusiveLock'
				and database = (select oid from pg_database where datname = current_database())`
	)
	var last int64
	var writers, still []string
	if err := pool.QueryRow(ctx, newest).Scan(&last); err != nil {
		return 0, fmt.Errorf("find the newest transfer: %w", err)
	}
	if err := pool.QueryRow(ctx, writing).Scan(&writers); err != nil {
		return 0, fmt.Errorf("find who writes transfers: %w", err)
	}
	for deadline := time.Now().Add(writersLeave); len(writers) > 0; time.Sleep(writersPause) {
		if err := pool.QueryRow(ctx, writing+" and virtualtransaction = any($1)", writers).Scan(&still); err != nil {
			return 0, fmt.Errorf("wait for who writes transfers: %w", err)
		}
		if writers = still; len(writers) > 0 && time.Now().After(deadline) {
			return 0, errWriterStays
		}
	}
	return last, nil
}

// addUp adds the transfers of a range to the sums.
func addUp(ctx context.Context, pool db.Pool, moved map[int64]decimal.Decimal, past, to int64) error {
	rows, _ := pool.Query(ctx, `select m.account_id, sum(m.amount) from `+sides+`
		where t.id > $1 and t.id <= $2 group by m.account_id`, past, to) // the rows report its error
	var account int64
	var amount decimal.Decimal
	_, err := pgx.ForEachRow(rows, []any{&account, &amount}, func() error {
		moved[account] = moved[account].Add(amount)
		return nil
	})
	return fault.Doing("add up transfers", err)
}

// compareBalances compares the balances with the sums up to past and the
// transfers after it.
func compareBalances(
	ctx context.Context,
	pool db.Pool,
	moved map[int64]decimal.Decimal,
	past int64,
) ([]string, error) {
	rows, _ := pool.Query(ctx, `
		with since as (
			select m.account_id, sum(m.amount) as amount from `+sides+` where t.id > $1 group by m.account_id
		), waiting as (
			select account_id, sum(amount) as amount from account_pending group by account_id
		)
		select account_id, coalesce(a.balance, 0), coalesce(waiting.amount, 0), coalesce(since.amount, 0)
		from account_balance a full join waiting using (account_id) full join since using (account_id)`, past) // rows has its error
	var broken []string
	differ := func(account int64, balance, pending, booked decimal.Decimal) {
		if !balance.Add(pending).Equal(booked) {
			broken = append(
				broken,
				fmt.Sprintf("account %d: balance %s, pending %s, moved %s", account, balance, pending, booked),
			)
		}
	}
	var account int64
	var balance, pending, since decimal.Decimal
	_, err := pgx.ForEachRow(rows, []any{&account, &balance, &pending, &since}, func() error {
		differ(account, balance, pending, moved[account].Add(since))
		delete(moved, account)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	for account, booked := range moved {
		differ(account, decimal.Zero, decimal.Zero, booked)
	}
	return broken, nil
}

// dayRules are the invariants of the balances that are kept at the end of each
// day.
var dayRules = []rule{
	{name: "what an account had at the end of a day follows from the day before", of: "account_day", query: `
		with kept as (
			select d.*, coalesce(b.balance, 0) as before, coalesce(b.day + 1, '-infinity'::date)::timestamp at time zone 'UTC' as since,
				(d.day + 1)::timestamp at time zone 'UTC' as until
			from account_day d left join lateral (
				select balance, day from account_day e where e.account_id = d.account_id and e.day < d.day order by e.day desc limit 1
			) b on true
			where $1::timestamptz is not null and d.id > $2 and d.id <= $3
		), side as (
			select k.id, case when t.credit_account = k.account_id then t.amount else -t.amount end as amount
			from kept k join transfer t on (t.debit_account >> 1) = (k.account_id >> 1) and t.created_at >= k.since and t.created_at < k.until
			where k.account_id in (t.debit_account, t.credit_account)
			union all
			select k.id, t.amount
			from kept k join transfer t on t.credit_account = k.account_id and (t.credit_account >> 1) = (k.account_id >> 1)
				and t.created_at >= k.since and t.created_at < k.until
			where (t.debit_account >> 1) <> (t.credit_account >> 1)
		), moved as (
			select id, sum(amount) as amount from side group by id
		)
		select format('account %s, %s: has %s, should have %s', k.account_id, k.day, k.balance, k.before + coalesce(m.amount, 0))
		from kept k left join moved m using (id)
		where k.balance <> k.before + coalesce(m.amount, 0)`},
}
