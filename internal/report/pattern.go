package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
)

const (
	// PatternMost is how many payments are looked at for patterns, the
	// newest of all.
	PatternMost = 5000
	// PatternFailures is the number of failed payments from which on a
	// payer who has paid none is listed.
	PatternFailures = 5
	// PatternNear is the number of payments just below a limit from which
	// on a payer is listed.
	PatternNear = 3
	// PatternFast is a time within which nobody can have looked at their
	// bank account.
	PatternFast = 3 * time.Second
	// patternShown is how many patterns of each kind are listed.
	patternShown = 50
)

// patternUnder is the share of a limit from which on an amount is just below
// it.
var patternUnder = decimal.RequireFromString("0.98")

// Patterns are what a person should look at in the newest payments. They prove
// nothing.
type Patterns struct {
	// Count is how many payments were examined; they were made between From
	// and To.
	Count    int
	From, To time.Time
	// Failing are payers whose payments all failed, Near are payers whose
	// amounts stay just below a limit, and Fast are traders who confirmed
	// faster than anybody can look at an account. The most frequent come
	// first.
	Failing, Near, Fast []Pattern
}

// Pattern is what several payments have in common: a merchant's payer, or a
// trader.
type Pattern struct {
	MerchantID, TraderID int64
	User                 string
	Count                int
	// LastID and LastAt are of the newest of these payments.
	LastID int64
	LastAt time.Time
}

func (p Pattern) Owners() (merchantID, traderID int64) { return p.MerchantID, p.TraderID }

func (s *Service) Patterns(ctx context.Context, who caller.Caller) (Patterns, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Patterns{}, err
	}
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.ReportLatestPaymentsRow, error) {
		return q.ReportLatestPayments(ctx, PatternMost)
	})
	if err != nil {
		return Patterns{}, fmt.Errorf("read the newest payments: %w", err)
	}
	found := Patterns{Count: len(rows)}
	if len(rows) == 0 {
		return found, nil
	}
	found.From, found.To = rows[len(rows)-1].CreatedAt, rows[0].CreatedAt
	failing, near, fast := tally{}, tally{}, tally{}
	paid := map[Pattern]bool{}
	for _, row := range rows {
		status, payer := payment.Status(row.Status), Pattern{MerchantID: row.MerchantID, User: optional.Value(row.PayerUserID)}
		if payer.User != "" {
			switch status {
			case payment.Failed, payment.Cancelled:
				failing.add(payer, row)
			case payment.Completed:
				paid[payer] = true
			case payment.Pending, payment.Appeal:
			}
			if most := row.MaxAmount; row.Amount.LessThanOrEqual(most) && !row.Amount.LessThan(most.Mul(patternUnder)) {
				near.add(payer, row)
			}
		}
		if status == payment.Completed && row.StatusAt.Sub(row.CreatedAt) < PatternFast {
			fast.add(Pattern{TraderID: row.TraderID}, row)
		}
	}
	for payer := range paid {
		delete(failing, payer)
	}
	found.Failing, found.Near, found.Fast = failing.list(PatternFailures), near.list(PatternNear), fast.list(1)
	return found, nil
}

// tally counts payments by what they have in common. They come newest first.
type tally map[Pattern]*Pattern

func (t tally) add(of Pattern, row db.ReportLatestPaymentsRow) {
	counted := t[of]
	if counted == nil {
		one := of
		one.LastID, one.LastAt = row.ID, row.CreatedAt
		counted = &one
		t[of] = counted
	}
	counted.Count++
}

// list has those that were counted often enough, the most frequent first.
func (t tally) list(least int) []Pattern {
	var list []Pattern
	for _, counted := range t {
		if counted.Count >= least {
			list = append(list, *counted)
		}
	}
	slices.SortFunc(list, func(a, b Pattern) int { return cmp.Or(b.Count-a.Count, cmp.Compare(b.LastID, a.LastID)) })
	return list[:min(len(list), patternShown)]
}
