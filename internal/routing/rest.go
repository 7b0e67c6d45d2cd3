package routing

import (
	"errors"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// restFor is how long a requisite found not to do is passed by, in real time, before it is tried
// again without a look. Where no other is left it is looked at all the same.
const restFor = time.Second

// heldFor is how long no requisite of a trader is tried whose account somebody else has had locked:
// as long as that takes at least, were it a process that has frozen. A payment that gets the trader
// all the same, which had only waited in line for a busy account, ends it.
const heldFor = 3 * time.Second

// note remembers why a candidate was not to be had, so that nobody else waits for the same.
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

// held tells whether a candidate's trader is passed by.
func (r *Requisites) held(c Candidate) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.isHeld(c.TraderID, time.Now())
}

// isHeld is held for whoever has the lock.
func (r *Requisites) isHeld(traderID int64, now time.Time) bool {
	until, held := r.heldUntil[traderID]
	if held && !now.Before(until) {
		delete(r.heldUntil, traderID)
	}
	return held && now.Before(until)
}

// rests are the payments that a requisite is not tried for, for the time being.
type rests struct {
	// until is for payments of the amount from and more.
	until time.Time
	from  decimal.Decimal
	// taken are single amounts.
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

// gone tells that somebody of this process has got the slot of an amount since a time.
func (r *rests) gone(amount decimal.Decimal, since time.Time) bool {
	return slices.ContainsFunc(
		r.taken,
		func(t taken) bool { return t.amount.Equal(amount) && t.until.After(since.Add(restFor)) },
	)
}

// rest notes a rule that dropped a payment of an amount. A count that is reached is so for all
// amounts, a sum for this one and more, a slot for this one alone.
func (r *rests) rest(rule Rule, amount decimal.Decimal, now time.Time) {
	switch rule {
	case SlotTaken:
		r.taken = slices.DeleteFunc(r.taken, func(t taken) bool { return !now.Before(t.until) })
		r.taken = append(r.taken, taken{amount, now.Add(restFor)})
		return
	case DailySum, TraderShort:
		if now.Before(r.until) && r.from.LessThan(amount) {
			return // it rests for less already
		}
		r.from = amount
	default:
		r.from = decimal.Zero
	}
	r.until = now.Add(restFor)
}
