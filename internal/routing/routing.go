// Package routing chooses which requisite a payment gets, or says that there is none. It chooses in
// memory, locks nothing, and leaves the last word to the database: what a reservation writes
// violates a constraint where the requisite is not to be had.
package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// NoneError says that no requisite is free for a payment.
type NoneError struct {
	// Dropped counts the requisites of the pool by the rule that drops each.
	Dropped map[Rule]int
}

func (e *NoneError) Error() string { return "no requisite is available" }

// ErrAgain says that requisites were free which others then got, or that what is set has just
// changed: it is time for another choice.
var ErrAgain = errors.New("the requisites have changed under the choice")

// A try's answers where the candidate's trader lacks the USDT, or where somebody else has their
// account locked.
var (
	ErrShort = errors.New("the trader lacks the USDT")
	ErrHeld  = errors.New("the trader's account is held")
)

// errLocked says that somebody else has the candidate itself locked.
var errLocked = errors.New("the requisite is locked")

// firstLook is how many candidates are looked at before all are.
const firstLook = 64

// Place finds a requisite for a payment. try makes the payment on a candidate, in one transaction,
// and is called until one is to be had. Nearly always that is the first, which is tried without a
// look at how it stands. hold says how much USDT a candidate's trader has to put up.
func (r *Requisites) Place(
	ctx context.Context, q *db.Queries, w Want, hold func(Candidate) decimal.Decimal, try func(Candidate) error,
) error {
	if first := r.next(w); first != nil {
		err := try(*first)
		if err == nil {
			r.got(*first, w)
			return nil
		}
		r.putBack(*first)
		r.note(*first, err)
		if !lost(err) {
			return err
		}
	}
	for _, most := range []int{firstLook, math.MaxInt} {
		lookedAt := time.Now()
		candidates, err := r.look(ctx, q, w, hold, most)
		if err != nil {
			return err
		}
		found, held := false, false
		var passed []Passed
		for i, c := range candidates {
			before := passed
			passed = pass(passed, c.ID, cmp.Or(c.DroppedBy, Resting))
			if c.DroppedBy == Free && r.held(c) {
				held, candidates[i].DroppedBy = true, TraderShort
				continue
			}
			if c.DroppedBy != Free {
				r.rested(c, w.Amount)
				continue
			}
			if r.gone(c, w, lookedAt) {
				found = true
				continue
			}
			c.Passed = slices.Concat(c.Passed, before[:min(len(before), passedMost-len(c.Passed))])
			err := try(c)
			if err == nil {
				r.got(c, w)
			}
			if !lost(err) {
				return err
			}
			if r.note(c, err); errors.Is(err, ErrHeld) {
				held, candidates[i].DroppedBy = true, TraderShort
				continue
			}
			found = true
		}
		switch {
		case len(candidates) == most: // there are more
		case held && !found: // one of them may be had in a moment
			return ErrHeld
		default:
			return r.none(w, candidates, found)
		}
	}
	return ErrAgain // not reached: no pool is longer than the second look
}

func (r *Requisites) none(w Want, looked []Candidate, found bool) error {
	if found {
		return ErrAgain
	}
	dropped := map[Rule]int{}
	for _, c := range looked {
		dropped[c.DroppedBy]++
	}
	for _, c := range r.candidates(w, math.MaxInt) {
		if c.DroppedBy != Free {
			dropped[c.DroppedBy]++
		}
	}
	return &NoneError{Dropped: dropped}
}

// lost reports whether a try failed because the candidate is not to be had.
func lost(err error) bool {
	switch db.Violated(err) {
	case "requisite_day_count", "requisite_day_sum", "requisite_slot_free":
		return true
	}
	return errors.Is(err, ErrShort) || errors.Is(err, ErrHeld) || errors.Is(err, errLocked)
}

// candidates lists the pool in the order of choice, each with the rule of what is set that drops
// it, until so many are free.
func (r *Requisites) candidates(w Want, most int) []Candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []Candidate
	var passed []Passed
	free := 0
	for known := range r.inOrder(w) {
		if free >= most {
			break
		}
		c := r.candidate(w, known)
		c.Pool, c.Looked = int32(known.pool.on.Len()), int32(len(found))+1
		if c.DroppedBy = r.bySettings(w, known); c.DroppedBy == Free {
			free++
		} else {
			passed = pass(passed, c.ID, c.DroppedBy)
		}
		c.Passed = passed[:len(passed):len(passed)]
		found = append(found, c)
	}
	return found
}

// look reads how the first candidates stand that what is set does not drop, and says which rule
// drops them now.
func (r *Requisites) look(
	ctx context.Context, q *db.Queries, w Want, hold func(Candidate) decimal.Decimal, most int,
) ([]Candidate, error) {
	var looked []Candidate
	for _, c := range r.candidates(w, most) {
		if c.DroppedBy == Free {
			looked = append(looked, c)
		}
	}
	return looked, read(ctx, q, w, hold, looked)
}

// read fills in the rules by which candidates are dropped that are free by what is set.
func read(
	ctx context.Context,
	q *db.Queries,
	w Want,
	hold func(Candidate) decimal.Decimal,
	candidates []Candidate,
) error {
	params := db.RequisiteFactsParams{Now: w.Now}
	at := map[int64]int{}
	for i, c := range candidates {
		if c.DroppedBy == Free {
			params.Ids, params.Days, at[c.ID] = append(params.Ids, c.ID), append(params.Days, c.Day), i
			params.Amounts = append(params.Amounts, w.Amount)
			if !slices.Contains(params.Traders, c.TraderID) {
				params.Traders = append(params.Traders, c.TraderID)
			}
		}
	}
	if len(at) == 0 {
		return nil
	}
	rows, err := q.RequisiteFacts(ctx, params)
	if err != nil {
		return fmt.Errorf("look at requisites: %w", err)
	}
	for _, facts := range rows {
		c := &candidates[at[facts.ID]]
		c.DroppedBy = c.byFacts(w, facts, hold(*c))
		delete(at, facts.ID)
	}
	// One that the database does not know, or whose trader has no account there, is in memory only.
	for _, i := range at {
		candidates[i].DroppedBy = RequisiteOff
	}
	return nil
}

// Explain lists the pool in the order of choice, each with the rule that drops it. It locks nothing
// and changes nothing.
func (r *Requisites) Explain(
	ctx context.Context, q *db.Queries, w Want, hold func(Candidate) decimal.Decimal,
) ([]Candidate, error) {
	candidates := r.candidates(w, math.MaxInt)
	return candidates, read(ctx, q, w, hold, candidates)
}

// Reserve counts a payment on a candidate and takes the slot of its amount. What is not to be had
// violates a constraint.
func Reserve(c Candidate, w Want, paymentID int64) []db.Query {
	var queries []db.Query
	if c.openPayments != nil {
		queries = append(queries, db.Do((*db.Queries).RequisiteLock, c.ID).Held(errLocked))
	}
	return append(queries, db.Do((*db.Queries).RequisiteTake, db.RequisiteTakeParams{
		ID: c.ID, Day: c.Day, Amount: w.Amount, PaymentID: paymentID, Now: w.Now, Desk: w.Desk,
	}).Held(errLocked))
}

// Slot is what a payment occupies: the value of its requisite, and its amount.
type Slot struct {
	RequisiteID int64
	Amount      decimal.Decimal
	PaymentID   int64
}

// Take takes the slot again, unless another payment has got it.
func (s Slot) Take(now time.Time) db.Query {
	return db.Do((*db.Queries).SlotTake, db.SlotTakeParams{
		RequisiteID: s.RequisiteID, Amount: s.Amount, PaymentID: s.PaymentID, Now: now,
	})
}

// Free gives the slot back from the given time on. One that has gone to another payment stays
// there.
func (s Slot) Free(from, now time.Time) db.Query {
	return db.Do((*db.Queries).SlotFree, db.SlotFreeParams{
		RequisiteID: s.RequisiteID, Amount: s.Amount, PaymentID: s.PaymentID, FreeAt: from, Now: now,
	})
}

// CountDay counts a payment towards its requisite's day again, or no longer.
func CountDay(requisiteID int64, day time.Time, amount decimal.Decimal, counts bool) db.Query {
	if counts {
		return db.Do(
			(*db.Queries).RequisiteDayAdd,
			db.RequisiteDayAddParams{RequisiteID: requisiteID, Day: day, Amount: amount},
		)
	}
	return db.Do(
		(*db.Queries).RequisiteDayTake,
		db.RequisiteDayTakeParams{RequisiteID: requisiteID, Day: day, Amount: amount},
	)
}
