// Package routing chooses which requisite a payment gets, or says that there is
// none. It chooses from memory and locks nothing. The database decides:
// reserving a requisite that is not available violates a constraint.
package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// NoneError says that no requisite is free for a payment.
type NoneError struct {
	// Dropped counts the requisites of the pool by the rule that dropped
	// each.
	Dropped map[Rule]int
}

func (e *NoneError) Error() string { return "no requisite is available" }

// ErrAgain says that requisites were available but other payments got them, or
// that settings have just changed: the caller should choose again.
var ErrAgain = errors.New("the requisites have changed under the choice")

// What can be wrong with a candidate's trader: too few USDT, or an account that
// somebody else has locked.
var (
	ErrShort = errors.New("the trader lacks the USDT")
	ErrHeld  = errors.New("the trader's account is held")
)

// errLocked says that another transaction has locked the candidate.
var errLocked = errors.New("the requisite is locked")

// firstLook is how many candidates are checked first, before all are.
const firstLook = 64

// A Search goes through the requisites that a payment may get:
//
//	for candidate := range search.Candidates(ctx, q) {
//		if err := make(candidate); search.Over(candidate, err) {
//			return err
//		}
//	}
//	return search.Err()
//
// Nearly always the first is to be had, which comes without a look at how it
// stands. It is for one payment.
type Search struct {
	requisites *Requisites
	want       Want
	hold       func(Candidate) decimal.Decimal
	first      *Candidate
	// lost says that another payment got a candidate of the last check.
	// held says that the account of a candidate's trader was locked.
	lost, held bool
	err        error
}

// Search begins a search. hold returns how much of a candidate's trader's USDT
// would be held.
func (r *Requisites) Search(w Want, hold func(Candidate) decimal.Decimal) *Search {
	return &Search{requisites: r, want: w, hold: hold}
}

// Candidates yields candidates in the order of choice. The caller tries to make
// the payment on each, in one transaction, and must pass the result to Over.
func (s *Search) Candidates(ctx context.Context, q *db.Queries) iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		if s.first = s.requisites.next(s.want); s.first != nil && !yield(*s.first) {
			return
		}
		s.first = nil
		for _, most := range []int{firstLook, math.MaxInt} {
			s.lost, s.held = false, false
			lookedAt := time.Now()
			looked, err := s.requisites.checkState(ctx, q, s.want, s.hold, most)
			if err != nil {
				s.err = err
				return
			}
			if !s.offer(looked, lookedAt, yield) {
				return
			}
			if len(looked) < most {
				s.err = s.none(looked)
				return
			}
		}
	}
}

// offer yields the checked candidates that are still available.
func (s *Search) offer(looked []Candidate, lookedAt time.Time, yield func(Candidate) bool) bool {
	var passed []Passed
	for _, c := range looked {
		before := passed
		passed = pass(passed, c.ID, cmp.Or(c.DroppedBy, Resting))
		switch {
		case c.DroppedBy != Free:
			s.requisites.rested(c, s.want.Amount)
		case s.requisites.held(c):
			s.held = true
		case s.requisites.gone(c, s.want, lookedAt):
			s.lost = true
		default:
			c.Passed = slices.Concat(c.Passed, before[:min(len(before), passedMost-len(c.Passed))])
			if !yield(c) {
				return false
			}
		}
	}
	return true
}

// Over takes the result for a candidate, and reports whether the search ends.
// It continues only if the candidate was not available.
func (s *Search) Over(c Candidate, err error) bool {
	r := s.requisites
	if err == nil {
		r.got(c, s.want)
		return true
	}
	if s.first != nil {
		r.putBack(c)
	}
	if !lost(err) {
		return true
	}
	r.note(c, err)
	if errors.Is(err, ErrHeld) {
		s.held = true
	} else {
		s.lost = true
	}
	return false
}

// Err says why no candidate is left.
func (s *Search) Err() error { return s.err }

// none says why no candidate is left. ErrAgain and ErrHeld come first, because
// another try may succeed. Otherwise it counts what each rule dropped: looked
// for rules about the state, the whole pool for those about settings.
func (s *Search) none(looked []Candidate) error {
	switch {
	case s.lost:
		return ErrAgain
	case s.held: // it may be available in a moment
		return ErrHeld
	}
	dropped := map[Rule]int{}
	for _, c := range looked {
		dropped[c.DroppedBy]++
	}
	for _, c := range s.requisites.candidates(s.want, math.MaxInt) {
		if c.DroppedBy != Free {
			dropped[c.DroppedBy]++
		}
	}
	return &NoneError{Dropped: dropped}
}

// lost reports whether the payment failed because the candidate is not
// available.
func lost(err error) bool {
	switch db.Violated(err) {
	case "requisite_day_count", "requisite_day_sum", "requisite_slot_free":
		return true
	}
	return errors.Is(err, ErrShort) || errors.Is(err, ErrHeld) || errors.Is(err, errLocked)
}

// candidates lists the pool in order, each candidate with the first rule about
// settings that drops it, until the given number is free by these rules.
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

// checkState reads the state of the first candidates that no setting drops, and
// sets the rules that drop them now.
func (r *Requisites) checkState(
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

// read sets the rules by which the candidates' state drops them.
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
	// A requisite that the database does not have, or whose trader has no
	// account there, is only in memory.
	for _, i := range at {
		candidates[i].DroppedBy = RequisiteOff
	}
	return nil
}

// Explain lists the pool in order, each with the rule that drops it. It locks
// and changes nothing.
func (r *Requisites) Explain(
	ctx context.Context, q *db.Queries, w Want, hold func(Candidate) decimal.Decimal,
) ([]Candidate, error) {
	candidates := r.candidates(w, math.MaxInt)
	return candidates, read(ctx, q, w, hold, candidates)
}

// Reserve counts a payment on a candidate and takes the slot of its amount. If
// the candidate is not available, that violates a constraint.
func Reserve(c Candidate, w Want, paymentID int64) []db.Lock {
	var locks []db.Lock
	if c.openPayments != nil {
		locks = db.Locks(db.LocksRequisite, c.ID, db.Do((*db.Queries).RequisiteLock, c.ID).Held(errLocked))
	}
	return append(locks, db.Locks(db.LocksDay, c.ID, db.Do((*db.Queries).RequisiteTake, db.RequisiteTakeParams{
		ID: c.ID, Day: c.Day, Amount: w.Amount, PaymentID: paymentID, Now: w.Now, Desk: w.Desk,
	}).Held(errLocked))...)
}

// Slot is what a payment occupies: the value of its requisite, and its amount.
type Slot struct {
	RequisiteID int64
	Amount      decimal.Decimal
	PaymentID   int64
}

// Take takes the slot again, unless another payment has it.
func (s Slot) Take(now time.Time) db.Query {
	return db.Do((*db.Queries).SlotTake, db.SlotTakeParams{
		RequisiteID: s.RequisiteID, Amount: s.Amount, PaymentID: s.PaymentID, Now: now,
	})
}

// Free frees the slot from a time on. It does nothing if another payment has
// it.
func (s Slot) Free(from, now time.Time) db.Query {
	return db.Do((*db.Queries).SlotFree, db.SlotFreeParams{
		RequisiteID: s.RequisiteID, Amount: s.Amount, PaymentID: s.PaymentID, FreeAt: from, Now: now,
	})
}

// CountDay counts a payment towards its requisite's day again, or stops
// counting it.
func CountDay(requisiteID int64, day time.Time, amount decimal.Decimal, counts bool) db.Query {
	if counts {
		return db.Do((*db.Queries).RequisiteDayAdd, db.RequisiteDayAddParams{RequisiteID: requisiteID, Day: day, Amount: amount})
	}
	return db.Do((*db.Queries).RequisiteDayTake, db.RequisiteDayTakeParams{RequisiteID: requisiteID, Day: day, Amount: amount})
}
