package bankstatement

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/clock"
)

// Payment is a payment that may be on a statement.
type Payment struct {
	Amount    decimal.Decimal
	CreatedAt time.Time
	// Paid tells that the payment was confirmed. Confirmed payments are
	// matched before others.
	Paid bool
}

const (
	// lateBy is how long after a payment was requested money may still
	// belong to it.
	lateBy = 48 * time.Hour
	// clocksDiffer is how far the bank's clock may be behind ours.
	clocksDiffer = 10 * time.Minute
)

// Match finds the line of each payment, or -1. It is the earliest line with
// exactly the payment's amount and a possible time that belongs to no other
// payment. The payments must be ordered by time.
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

// may reports whether the time of the line is possible for the payment. If the
// line has only a day, any time of it counts.
func (l Line) may(p Payment) bool {
	end := l.At
	if !l.Timed {
		end = clock.Midnight(l.At, 1)
	}
	return !end.Before(p.CreatedAt.Add(-clocksDiffer)) && l.At.Before(p.CreatedAt.Add(lateBy))
}
