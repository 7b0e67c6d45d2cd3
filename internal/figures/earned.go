package figures

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Earned is what a trader earned by the payments and payouts that were
// completed in some period.
type Earned struct {
	// At is when the period begins.
	At time.Time
	// Count is the number of completed payments and payouts, and USDT what
	// the trader earned by them.
	Count int64
	USDT  decimal.Decimal
	// Payments is the number of payments whose confirmation time is known.
	// Median is the median time that the trader took to confirm them,
	// counted from when the payer said that they paid, or else from the
	// creation.
	Payments int64
	Median   time.Duration
}

// openMost is how long before its completion a payment or payout may have been
// created: an appeal can take weeks.
const openMost = 60 * 24 * time.Hour

// Earned tells a trader what they earned: in all, and in each slot of so many
// days. The slots are the same as those of a Trend.
func (s *Service) Earned(
	ctx context.Context, who caller.Caller, days int, zone *time.Location,
) (all Earned, slots []Earned, err error) {
	if err := who.Need(caller.TraderMoney); err != nil {
		return all, nil, err
	}
	found := fault.Decoded(ctx)
	found.Check(slices.Contains(TrendDays, days), "days", "must be 1, 7, 30 or 90")
	if err := found.Err(); err != nil {
		return all, nil, err
	}
	params := db.ReportEarnedParams{
		TraderID: who.TraderID, Starts: TrendFilter{Days: days, Zone: zone}.starts(s.clock.Now()),
	}
	params.Since = params.Starts[0]
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportEarnedRow, error) {
		since := params.Since.Add(-openMost)
		for subject, above := range map[string]*int64{db.SubjectPayment: &params.PaymentsAbove, db.SubjectPayout: &params.PayoutsAbove} {
			var err error
			if *above, _, err = (db.Span{From: &since}).IDs(ctx, q, subject, 0, 0); err != nil {
				return nil, err
			}
		}
		return q.ReportEarned(ctx, params)
	})
	if err != nil {
		return all, nil, fmt.Errorf("add up what was earned: %w", err)
	}
	slots = make([]Earned, len(params.Starts)+1) // the first is the total
	for i, at := range params.Starts {
		slots[i+1].At = at
	}
	for _, row := range rows {
		one := &slots[row.Slot]
		one.Count, one.USDT, one.Payments = row.Completed, row.USDT, row.Payments
		one.Median = time.Duration(row.Seconds) * time.Second
	}
	return slots[0], slots[1:], nil
}
