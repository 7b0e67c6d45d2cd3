package bankstatement

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Payment is what may be on a statement.
type Payment struct {
	Amount    decimal.Decimal
	CreatedAt time.Time
	// Paid tells that it was confirmed: such payments find their lines before others do.
	Paid bool
}

const (
	// lateBy is how long after it was asked for money may still be a payment's.
	lateBy = 48 * time.Hour
	// clocksDiffer is how far the bank's clock may be behind ours.
	clocksDiffer = 10 * time.Minute
)

// Match finds the line of each payment, or -1: the first of exactly its amount, from when it was asked for on, that is no
// other's. Payments have the order of their times.
func Match(lines []Line, payments []Payment) []int {
	incoming := map[string][]int{}
	for i, line := range lines {
		if line.Amount.IsPositive() {
			key := line.Amount.StringFixed(2)
			incoming[key] = append(incoming[key], i)
		}
	}
	for _, same := range incoming {
		slices.SortStableFunc(same, func(a, b int) int { return lines[a].At.Compare(lines[b].At) })
	}
	found := make([]int, len(payments))
	for _, paid := range []bool{true, false} {
		for i, p := range payments {
			if p.Paid != paid {
				continue
			}
			key := p.Amount.StringFixed(2)
			at := slices.IndexFunc(incoming[key], func(line int) bool { return lines[line].may(p) })
			if at < 0 {
				found[i] = -1
				continue
			}
			found[i] = incoming[key][at]
			incoming[key] = slices.Delete(incoming[key], at, at+1)
		}
	}
	return found
}

// may tells whether the line's time allows that it is the payment. A day without a time allows all of it.
func (l Line) may(p Payment) bool {
	end := l.At
	if !l.Timed {
		end = l.At.AddDate(0, 0, 1)
	}
	return !end.Before(p.CreatedAt.Add(-clocksDiffer)) && l.At.Before(p.CreatedAt.Add(lateBy))
}
