package books

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	day = 24 * time.Hour
	// accountsAtOnce is for how many accounts one statement closes a day.
	accountsAtOnce = 200
)

// Close stores the balances at the ends of the days that are over, and the
// platform's income on them. It is idempotent, and several processes may run it
// at the same time.
func Close(ctx context.Context, pool db.Pool, c clock.Clock) error {
	q := db.New(pool)
	if err := closeDays(ctx, q, c.Now()); err != nil {
		return err
	}
	return closeIncome(ctx, q)
}

// closeDays stores the balances at the ends of the days that are over, one day
// after the other and some accounts at a time.
func closeDays(ctx context.Context, q *db.Queries, now time.Time) error {
	closed, err := q.AccountDayClosed(ctx)
	if db.NoRows(err) {
		oldest, err := q.TransferOldest(ctx)
		if err != nil {
			return fault.Doing("find the first transfer", db.IgnoreNoRows(err))
		}
		closed = db.DayOf(oldest).Add(-day)
	} else if err != nil {
		return fmt.Errorf("find the last closed day: %w", err)
	}
	for next := closed.Add(day); !next.Add(day + db.LateMost).After(now); next = next.Add(day) {
		if err := closeDay(ctx, q, next); err != nil {
			return fmt.Errorf("close %s: %w", next.Format(time.DateOnly), err)
		}
	}
	return nil
}

// closeDay stores the balances of all accounts that moved on a day, and then
// that the day is closed. It is called after the days before it, and only when
// no transfer of the day can commit any more. After a crash it begins again:
// what is stored stays.
func closeDay(ctx context.Context, q *db.Queries, date time.Time) error {
	for past := int64(-1); ; {
		accounts, err := q.AccountDayAccounts(ctx, db.AccountDayAccountsParams{Past: past, Page: accountsAtOnce})
		if err != nil {
			return err
		}
		if len(accounts) == 0 {
			return q.AccountDaySetClosed(ctx, date)
		}
		owners := make([]int64, len(accounts))
		for i, account := range accounts {
			owners[i] = account >> 1
		}
		err = q.AccountDayClose(ctx, db.AccountDayCloseParams{
			Day: date, FromAt: date, UntilAt: date.Add(day), AccountIds: accounts, Owners: slices.Compact(owners),
		})
		if err != nil {
			return err
		}
		past = accounts[len(accounts)-1]
	}
}
