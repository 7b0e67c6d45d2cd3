package routing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// Standing has the results of all rules for a requisite and a payment.
type Standing struct {
	Candidate
	// Want is the payment.
	Want Want
	// Hold is how much of the trader's USDT would be held, and Available
	// what they have.
	Hold, Available decimal.Decimal
	// Drops are all rules that drop the requisite, in order. DroppedBy is
	// the first.
	Drops []Drop
}

// Drop is a rule that drops a requisite, with its numbers.
type Drop struct {
	Rule Rule
	// Limit and Used are the rule's limit and how much of it is used. For
	// AmountLimits they are the bound and the amount beyond it; for
	// TraderShort what would be held and what is available. They are not
	// valid for other rules without a number.
	Limit, Used decimal.NullDecimal
	// FreeAt is when the rule stops dropping the requisite by itself: when
	// the hours begin, the day ends, or the slot is free. Nil is unknown or
	// never.
	FreeAt *time.Time
}

// Asked returns the payment to try on a requisite with the given smallest
// amount, and a function for how much would be held.
type Asked func(currency, method string, smallest decimal.Decimal) (w Want, hold func(Candidate) decimal.Decimal)

// Stand checks a trader's requisite by the same rules as creating a payment; id
// 0 is all of their requisites, in the order of ids. It locks and changes
// nothing.
func (r *Requisites) Stand(
	ctx context.Context, q *db.Queries, traderID, requisiteID int64, asked Asked,
) ([]Standing, error) {
	list := r.ofTrader(traderID, requisiteID, asked)
	if len(list) == 0 { // of a trader who does not exist the database could not even name the account
		return nil, nil
	}
	params := db.RequisiteFactsParams{Traders: []int64{traderID}}
	for _, s := range list {
		params.Ids, params.Days = append(params.Ids, s.ID), append(params.Days, s.Day)
		params.Amounts, params.Now = append(params.Amounts, s.Want.Amount), s.Want.Now
	}
	rows, err := q.RequisiteFacts(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("look at requisites: %w", err)
	}
	facts := make(map[int64]db.RequisiteFactsRow, len(rows))
	for _, row := range rows {
		facts[row.ID] = row
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range list {
		s := &list[i]
		s.Available = facts[s.ID].Available
		if s.Drops = r.drops(*s, facts[s.ID]); len(s.Drops) > 0 {
			s.DroppedBy = s.Drops[0].Rule
		}
	}
	return list, nil
}

// ofTrader lists a trader's requisites from memory, each with the payment that
// is tried on it. It calls asked under the lock, so asked must not come back to
// the requisites.
func (r *Requisites) ofTrader(traderID, requisiteID int64, asked Asked) []Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Standing
	for _, known := range r.known {
		if known.TraderID == traderID && (requisiteID == 0 || known.ID == requisiteID) {
			w, hold := asked(known.Currency, known.Method, known.MinAmount)
			s := Standing{Candidate: r.candidate(w, known), Want: w}
			s.Hold = hold(s.Candidate)
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Standing) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// drops are all rules that drop a requisite. The caller holds the lock.
func (r *Requisites) drops(s Standing, facts db.RequisiteFactsRow) []Drop {
	known, trader := r.known[s.ID], r.traders[s.TraderID]
	var drops []Drop
	for _, rule := range settingRules {
		if rule.drops(trader, s.Want, known) {
			drops = append(drops, s.drop(rule.rule, known, facts))
		}
	}
	on := r.switchedOn(known)
	for _, rule := range factRules {
		// Of a requisite that is off by another switch, that switch's
		// own rule has been listed.
		if rule.drops(s.Candidate, s.Want, facts, s.Hold) && (on || rule.rule != RequisiteOff) {
			drops = append(drops, s.drop(rule.rule, known, facts))
		}
	}
	return drops
}

// drop is a rule that drops the requisite, with its numbers.
func (s Standing) drop(rule Rule, known *requisite, facts db.RequisiteFactsRow) Drop {
	d := Drop{Rule: rule}
	ends := known.dayEnds(s.Want.Now)
	switch rule {
	case AmountLimits:
		d.Limit, d.Used = some(known.MaxAmount), some(s.Want.Amount)
		if s.Want.Amount.LessThan(known.MinAmount) {
			d.Limit = some(known.MinAmount)
		}
	case WorkingHours:
		d.FreeAt = known.opensAt(s.Want.Now)
	case DailyCount:
		d.Limit, d.Used, d.FreeAt = number(*s.dailyCount), number(facts.Count), &ends
	case DailySum:
		d.Limit, d.Used, d.FreeAt = s.dailySum, some(facts.Sum), &ends
	case OpenLimit:
		d.Limit, d.Used = number(*s.openPayments), number(facts.OpenPayments)
	case SlotTaken:
		d.Used = some(s.Want.Amount)
		if facts.SlotFreeAt.Unix() > 0 {
			d.FreeAt = &facts.SlotFreeAt
		}
	case TraderShort:
		d.Limit, d.Used = some(s.Hold), some(s.Available)
	case Free, TraderOff, TraderBreak, RequisiteOff, OwnOff: // have no numbers
	}
	return d
}

func some(d decimal.Decimal) decimal.NullDecimal { return decimal.NewNullDecimal(d) }

func number(n int32) decimal.NullDecimal { return some(decimal.NewFromInt32(n)) }
