package routing

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// Want is what a payment requires of a requisite.
type Want struct {
	Currency string
	Method   string
	Amount   decimal.Decimal
	Now      time.Time
	// Desk asks for a requisite of card checkout: it has no slots, so it
	// can take any number of equal amounts.
	Desk bool
	// Dry only asks what would be chosen, possibly at another time than
	// now. It does not change the order.
	Dry bool
}

// Rule is a reason to drop a candidate.
type Rule string

// The rules, in the order in which they are checked.
const (
	Free         Rule = ""
	TraderOff    Rule = "trader_off"
	TraderBreak  Rule = "trader_break"
	RequisiteOff Rule = "requisite_off"
	// OwnOff is a requisite that its trader has switched off.
	OwnOff       Rule = "requisite_off_by_trader"
	AmountLimits Rule = "amount_limits"
	WorkingHours Rule = "working_hours"
	DailyCount   Rule = "daily_count"
	DailySum     Rule = "daily_sum"
	OpenLimit    Rule = "open_limit"
	SlotTaken    Rule = "slot_taken"
	TraderShort  Rule = "trader_short"
)

// These are reasons for skipping a requisite without checking it.
const (
	// Resting is a requisite that was refused a moment ago.
	Resting = "resting"
	// Held is a requisite whose trader's account another transaction has
	// locked.
	Held = "trader_held"
)

// Passed is a requisite that a choice skipped, and why.
type Passed struct {
	Rule Rule
	ID   int64
}

// passedMost is how many skipped requisites are stored.
const passedMost = 100

// pass stores a skipped requisite, unless there are enough.
func pass(passed []Passed, id int64, rule Rule) []Passed {
	if len(passed) == passedMost {
		return passed
	}
	return append(passed, Passed{rule, id})
}

// Candidate is a requisite that may be chosen, with its trader's terms.
type Candidate struct {
	ID       int64
	TraderID int64
	// Sealed is the sealed value. A requisite of card checkout has none.
	Sealed []byte
	Last4  *string
	Holder *string
	Bank   *string
	Weight int32
	// LastUsedAt is the Unix epoch if it was never used.
	LastUsedAt         time.Time
	TraderRatePercent  decimal.NullDecimal
	TraderSharePercent decimal.Decimal
	// Day is the local day of the requisite that the payment counts
	// towards.
	Day time.Time
	// DroppedBy is Free if no rule drops the requisite.
	DroppedBy Rule
	// Pool is how many requisites of the pool were on and within their
	// hours when this one was chosen, as far as this process knew. Looked
	// is how many were checked, itself included.
	Pool, Looked int32
	// Passed are the requisites that were skipped before this one was
	// chosen, in order, at most 100.
	Passed []Passed

	dailyCount, openPayments *int32
	dailySum                 decimal.NullDecimal
}

// candidate is a requisite from memory. The caller holds the lock.
func (r *Requisites) candidate(w Want, known *requisite) Candidate {
	trader := r.traders[known.TraderID]
	year, month, day := w.Now.In(known.hours.zone).Date()
	return Candidate{
		ID:                 known.ID,
		TraderID:           known.TraderID,
		Sealed:             known.Sealed,
		Last4:              known.Last4,
		Holder:             known.Holder,
		Bank:               known.Bank,
		Weight:             known.Weight,
		LastUsedAt:         known.UsedAt,
		TraderRatePercent:  trader.RatePercent,
		TraderSharePercent: trader.SharePercent,
		Day:                time.Date(year, month, day, 0, 0, 0, 0, time.UTC),
		dailyCount:         known.DailyCount,
		openPayments:       known.OpenPayments,
		dailySum:           known.DailySum,
	}
}

// settingRules are the rules about settings.
var settingRules = []struct {
	rule  Rule
	drops func(trader db.TradersSinceRow, w Want, known *requisite) bool
}{
	{TraderOff, func(t db.TradersSinceRow, _ Want, _ *requisite) bool { return !t.Enabled }},
	{TraderBreak, func(t db.TradersSinceRow, _ Want, _ *requisite) bool { return t.OnBreak }},
	{RequisiteOff, func(_ db.TradersSinceRow, _ Want, known *requisite) bool { return !known.Enabled }},
	{OwnOff, func(_ db.TradersSinceRow, _ Want, known *requisite) bool { return known.OwnOff }},
	{AmountLimits, func(_ db.TradersSinceRow, w Want, known *requisite) bool {
		return w.Amount.LessThan(known.MinAmount) || w.Amount.GreaterThan(known.MaxAmount)
	}},
	{WorkingHours, func(_ db.TradersSinceRow, w Want, known *requisite) bool { return !known.works(w.Now) }},
}

// bySettings is the first rule about settings that drops a requisite. The
// caller holds the lock.
//
//rule:which requisites a payment may get
func (r *Requisites) bySettings(w Want, known *requisite) Rule {
	trader := r.traders[known.TraderID]
	for _, s := range settingRules {
		if s.drops(trader, w, known) {
			return s.rule
		}
	}
	return Free
}

// factRules are the rules about a candidate's state in the database. hold is
// how much of its trader's USDT would be held.
var factRules = []struct {
	rule  Rule
	drops func(c Candidate, w Want, facts db.RequisiteFactsRow, hold decimal.Decimal) bool
}{
	{RequisiteOff, func(_ Candidate, _ Want, facts db.RequisiteFactsRow, _ decimal.Decimal) bool {
		return !facts.SwitchedOn
	}},
	{DailyCount, func(c Candidate, _ Want, facts db.RequisiteFactsRow, _ decimal.Decimal) bool {
		return c.dailyCount != nil && facts.Count >= *c.dailyCount
	}},
	{DailySum, func(c Candidate, w Want, facts db.RequisiteFactsRow, _ decimal.Decimal) bool {
		return c.dailySum.Valid && facts.Sum.Add(w.Amount).GreaterThan(c.dailySum.Decimal)
	}},
	{OpenLimit, func(c Candidate, _ Want, facts db.RequisiteFactsRow, _ decimal.Decimal) bool {
		return c.openPayments != nil && facts.OpenPayments >= *c.openPayments
	}},
	{SlotTaken, func(_ Candidate, _ Want, facts db.RequisiteFactsRow, _ decimal.Decimal) bool { return facts.Taken }},
	{TraderShort, func(_ Candidate, _ Want, facts db.RequisiteFactsRow, hold decimal.Decimal) bool {
		return facts.Available.LessThan(hold)
	}},
}

// byFacts is the first rule that drops a candidate by its state in the
// database.
func (c Candidate) byFacts(w Want, facts db.RequisiteFactsRow, hold decimal.Decimal) Rule {
	for _, f := range factRules {
		if f.drops(c, w, facts, hold) {
			return f.rule
		}
	}
	return Free
}

// EncodePassed encodes which candidates a choice passed over, for the payment.
// It is empty if the choice took the first, as it nearly always does.
func EncodePassed(passed []Passed) []byte {
	if len(passed) == 0 {
		return nil
	}
	text := make([]byte, 0, 32*len(passed))
	for i, p := range passed {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = strconv.AppendQuote(text, string(p.Rule))
		text = append(text, ',')
		text = append(strconv.AppendInt(text, p.ID, 10), ']')
	}
	return append(append([]byte{'['}, text...), ']')
}

// DecodePassed decodes which candidates a choice passed over.
func DecodePassed(kept []byte) ([]Passed, error) {
	if kept == nil {
		return nil, nil
	}
	var pairs [][2]any
	if err := json.Unmarshal(kept, &pairs); err != nil {
		return nil, fmt.Errorf("read a choice: %w", err)
	}
	list := make([]Passed, 0, len(pairs))
	for _, pair := range pairs {
		rule, _ := pair[0].(string)
		id, _ := pair[1].(float64)
		list = append(list, Passed{Rule: Rule(rule), ID: int64(id)})
	}
	return list, nil
}
