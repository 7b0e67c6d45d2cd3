package routing

import (
	"errors"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// restFor is how long a refused requisite is skipped, in real time, before it
// is tried again without a check. If no other is left it is checked anyway.
const restFor = time.Second

// heldFor is how long no requisite of a trader is tried while another
// transaction has the trader's account locked. If that is a process that has
// frozen, the lock lasts at least until the database ends its transaction. The
// time ends sooner if a payment gets the trader nevertheless, because the
// account was only busy.
//
//rule:how long a trader without enough USDT is passed by
const heldFor = 3 * time.Second

// note stores why a candidate was refused, so that other payments do not wait
// for the same lock.
func (r *Requisites) note(c Candidate, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch now := time.Now(); {
	case errors.Is(err, ErrHeld):
		r.heldUntil[c.TraderID] = now.Add(heldFor)
	case errors.Is(err, errLocked):
		r.known[c.ID].rest(OpenLimit, decimal.Zero, now)
	}
}

// held reports whether a candidate's trader is skipped.
func (r *Requisites) held(c Candidate) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.isHeld(c.TraderID, time.Now())
}

// isHeld is held for a caller that holds the lock.
func (r *Requisites) isHeld(traderID int64, now time.Time) bool {
	until, held := r.heldUntil[traderID]
	if held && !now.Before(until) {
		delete(r.heldUntil, traderID)
	}
	return held && now.Before(until)
}

// rests are the payments for which a requisite is not tried at present.
type rests struct {
	// until applies to payments of the amount from or more.
	until time.Time
	from  decimal.Decimal
	// taken are amounts whose slots are taken.
	taken []taken
}

type taken struct {
	amount decimal.Decimal
	until  time.Time
}

func (r *rests) resting(amount decimal.Decimal, now time.Time) bool {
	return now.Before(r.until) && !amount.LessThan(r.from) ||
		slices.ContainsFunc(r.taken, func(t taken) bool { return now.Before(t.until) && t.amount.Equal(amount) })
}

// gone reports whether this process gave away the slot of an amount since a
// time.
func (r *rests) gone(amount decimal.Decimal, since time.Time) bool {
	return slices.ContainsFunc(r.taken, func(t taken) bool { return t.amount.Equal(amount) && t.until.After(since.Add(restFor)) })
}

// rest stores the rule that refused a payment of an amount. A reached count
// refuses every amount, a reached sum this amount and larger ones, and a taken
// slot only this amount.
func (r *rests) rest(rule Rule, amount decimal.Decimal, now time.Time) {
	switch rule {
	case SlotTaken:
		r.taken = slices.DeleteFunc(r.taken, func(t taken) bool { return !now.Before(t.until) })
		r.taken = append(r.taken, taken{amount, now.Add(restFor)})
		return
	case DailySum, TraderShort:
		if now.Before(r.until) && r.from.LessThan(amount) {
			return // it already rests for smaller amounts
		}
		r.from = amount
	default:
		r.from = decimal.Zero
	}
	r.until = now.Add(restFor)
}
