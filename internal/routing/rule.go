package routing

import (
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// Want is what a payment needs of a requisite.
type Want struct {
	Currency string
	Method   string
	Amount   decimal.Decimal
	Now      time.Time
	// Desk asks for a desk that takes cards: it has no slots, so that any number of equal amounts
	// go to one.
	Desk bool
}

// Rule is what drops a candidate.
type Rule string

// The rules, in the order in which they are looked at.
const (
	Free         Rule = ""
	TraderOff    Rule = "trader_off"
	RequisiteOff Rule = "requisite_off"
	AmountLimits Rule = "amount_limits"
	WorkingHours Rule = "working_hours"
	DailyCount   Rule = "daily_count"
	DailySum     Rule = "daily_sum"
	OpenLimit    Rule = "open_limit"
	SlotTaken    Rule = "slot_taken"
	TraderShort  Rule = "trader_short"
)

// Candidate is a requisite as a choice sees it, with its trader's terms.
type Candidate struct {
	ID       int64
	TraderID int64
	Value    string
	Holder   *string
	Bank     *string
	Weight   int32
	// LastUsedAt is the Unix epoch for a requisite never used.
	LastUsedAt         time.Time
	TraderRatePercent  decimal.NullDecimal
	TraderSharePercent decimal.Decimal
	// Day is the day of the requisite's own zone that the payment counts towards.
	Day time.Time
	// DroppedBy is Free for a requisite that would do.
	DroppedBy Rule
	// Pool is how many requisites of the pool were switched on and within their hours when this one
	// was chosen, as far as this process knew. Looked is how many were looked at before it was, itself
	// included.
	Pool, Looked int32

	dailyCount, openPayments *int32
	dailySum                 decimal.NullDecimal
}

// candidate is a requisite as it stands in memory. The caller holds the lock.
func (r *Requisites) candidate(w Want, known *requisite) Candidate {
	trader := r.traders[known.TraderID]
	year, month, day := w.Now.In(known.zone).Date()
	return Candidate{
		ID:                 known.ID,
		TraderID:           known.TraderID,
		Value:              known.Value,
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

// bySettings is the rule that drops a requisite by what is set. The caller holds the lock.
func (r *Requisites) bySettings(w Want, known *requisite) Rule {
	switch {
	case !r.traders[known.TraderID].Enabled:
		return TraderOff
	case !known.Enabled:
		return RequisiteOff
	case w.Amount.LessThan(known.MinAmount) || w.Amount.GreaterThan(known.MaxAmount):
		return AmountLimits
	case !known.works(w.Now):
		return WorkingHours
	}
	return Free
}

// works tells whether it is within the requisite's hours, which may go over midnight.
func (known *requisite) works(now time.Time) bool {
	if known.WorkFrom == "" {
		return true
	}
	local := sinceMidnight(now.In(known.zone))
	if known.workFrom <= known.workUntil {
		return local >= known.workFrom && local < known.workUntil
	}
	return local >= known.workFrom || local < known.workUntil
}

// wakeWithin is when hours are looked at again at the latest: where clocks change, a time of day
// may not come at all.
const wakeWithin = time.Hour

// worksFrom is when its hours begin next, or when to look again.
func (known *requisite) worksFrom(now time.Time) time.Time {
	year, month, day := now.In(known.zone).Date()
	begins := time.Date(year, month, day, 0, 0, 0, int(known.workFrom), known.zone)
	if begins.After(now) && begins.Before(now.Add(wakeWithin)) {
		return begins
	}
	return now.Add(wakeWithin)
}

// byFacts is the rule that drops a candidate by how it stands in the database. hold is what its
// trader would put up.
func (c Candidate) byFacts(w Want, facts db.RequisiteFactsRow, hold decimal.Decimal) Rule {
	switch {
	case !facts.SwitchedOn:
		return RequisiteOff
	case c.dailyCount != nil && facts.Count >= *c.dailyCount:
		return DailyCount
	case c.dailySum.Valid && facts.Sum.Add(w.Amount).GreaterThan(c.dailySum.Decimal):
		return DailySum
	case c.openPayments != nil && facts.OpenPayments >= *c.openPayments:
		return OpenLimit
	case facts.Taken:
		return SlotTaken
	case facts.Available.LessThan(hold):
		return TraderShort
	}
	return Free
}
