package books

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/export"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// incomeMost is for how many days income may be asked at a time.
const incomeMost = 366

// IncomeFilter selects days, in UTC, and a merchant.
type IncomeFilter struct {
	// From is the first day and To the day after the last. If To is zero,
	// it is the end of today; if From is zero, it is 30 days before To.
	From, To time.Time
	// MerchantID selects one merchant; 0 means all.
	MerchantID int64
}

// Income is what the platform earned on one day by a merchant's payments or
// payouts of one method: its share of what was completed on that day, less what
// it gave back on that day, whenever that was completed. So the income of a day
// that is over never changes, and the sum of all days is what was moved to the
// platform's account for payments and payouts.
type Income struct {
	Day        time.Time
	MerchantID int64
	Merchant   string
	// Subject is payment or payin.
	Subject          string
	Method, Currency string
	// Earned is what the platform got and Reversed what it gave back, in
	// USDT.
	Earned, Reversed decimal.Decimal
	// Volume is the amount completed less the amount reversed; null for
	// days that were closed before it was stored.
	Volume decimal.NullDecimal
}

// Net is Earned less Reversed.
func (i Income) Net() decimal.Decimal { return i.Earned.Sub(i.Reversed) }

// Income lists the platform's income, the newest day first.
func (s *Service) Income(ctx context.Context, who caller.Caller, f IncomeFilter) ([]Income, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	f, err := f.check(ctx, s.clock.Now())
	if err != nil {
		return nil, err
	}
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]Income, error) { return income(ctx, q, f) })
	return rows, fault.Doing("list income", err)
}

// check completes the period and cuts it to days of UTC: it ends tomorrow and
// begins byItself before its end, unless the caller says otherwise. More than
// incomeMost days are refused.
func (f IncomeFilter) check(ctx context.Context, now time.Time) (IncomeFilter, error) {
	found := fault.Decoded(ctx)
	if f.To.IsZero() {
		f.To = now.Add(day)
	}
	f.To = db.DayOf(f.To)
	if f.From.IsZero() {
		f.From = f.To.Add(-byItself)
	}
	f.From = db.DayOf(f.From)
	found.Check(!f.To.Before(f.From), "to", "must not be before from")
	found.Check(f.To.Sub(f.From) <= incomeMost*day, "from", "must be at most %d days before to", incomeMost)
	return f, found.Err()
}

// income reads the days that are closed, and adds up the days that are not.
func income(ctx context.Context, q *db.Queries, f IncomeFilter) ([]Income, error) {
	closed, err := q.IncomeDayClosed(ctx)
	if db.IgnoreNoRows(err) != nil {
		return nil, err
	}
	open := f.From
	if err == nil && !closed.Add(day).Before(open) {
		open = closed.Add(day)
	}
	merchant := optional.Of(f.MerchantID)
	var list []Income
	if open.Before(f.To) {
		rows, err := q.IncomeOpen(ctx, db.IncomeOpenParams{FromAt: open, UntilAt: f.To, MerchantID: merchant})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			list = append(list, Income{
				Day: row.Day, MerchantID: row.MerchantID, Merchant: row.Merchant, Subject: row.Subject, Method: row.Method,
				Currency: row.Currency, Earned: row.Earned, Reversed: row.Reversed, Volume: decimal.NewNullDecimal(row.Volume),
			})
		}
	}
	// A day that is written and not yet said to be closed, or only since it
	// was asked, has just been added up.
	until := f.To
	if open.Before(until) {
		until = open
	}
	rows, err := q.IncomeDayList(ctx, db.IncomeDayListParams{FromDay: f.From, ToDay: until, MerchantID: merchant})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		list = append(list, Income(row))
	}
	return list, nil
}

// ExportIncome writes income as CSV, in the same way as ExportStatement.
func (s *Service) ExportIncome(ctx context.Context, who caller.Caller, f IncomeFilter, w io.Writer) error {
	rows, err := s.Income(ctx, who, f)
	if err != nil {
		return err
	}
	out := export.New(w, time.UTC, "day", "merchant_id", "merchant", "subject", "method", "currency", "earned_usdt",
		"reversed_usdt", "net_usdt", "volume_usdt")
	for _, row := range rows {
		net := row.Net()
		out.Row(row.Day.Format(time.DateOnly), row.MerchantID, row.Merchant, row.Subject, row.Method, row.Currency,
			export.USDT(&row.Earned), export.USDT(&row.Reversed), export.USDT(&net), usdtOrEmpty(row.Volume))
	}
	return out.End()
}

func usdtOrEmpty(d decimal.NullDecimal) export.Number {
	if !d.Valid {
		return ""
	}
	return export.USDT(&d.Decimal)
}

// closeIncome stores the income of the days whose account balances are already
// stored.
func closeIncome(ctx context.Context, q *db.Queries) error {
	until, err := q.AccountDayClosed(ctx)
	if err != nil {
		return db.IgnoreNoRows(err)
	}
	closed, err := q.IncomeDayClosed(ctx)
	if db.NoRows(err) {
		oldest, err := q.TransferOldest(ctx)
		if err != nil {
			return db.IgnoreNoRows(err)
		}
		closed = db.DayOf(oldest).Add(-day)
	} else if err != nil {
		return fmt.Errorf("find the last day of income: %w", err)
	}
	for next := closed.Add(day); !next.After(until); next = next.Add(day) {
		err := q.IncomeDayClose(ctx, db.IncomeDayCloseParams{Day: next, FromAt: next, UntilAt: next.Add(day)})
		if err == nil {
			err = q.IncomeDaySetClosed(ctx, next)
		}
		if err != nil {
			return fmt.Errorf("close income of %s: %w", next.Format(time.DateOnly), err)
		}
	}
	return nil
}
