package routing

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway/internal/db"
)

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

// Candidate is a requisite of the pool, as a choice sees it.
type Candidate struct {
	RequisiteID int64
	TraderID    int64
	Weight      int32
	// LastUsedAt is the Unix epoch for a requisite never used.
	LastUsedAt         time.Time
	TraderRatePercent  decimal.NullDecimal
	TraderSharePercent decimal.Decimal
	// DroppedBy is Free for a requisite that would do.
	DroppedBy Rule
}

// Explain lists the pool in the order of choice, each with the rule that drops it. hold says how much USDT a candidate's
// trader would put up. It locks nothing and changes nothing.
func Explain(ctx context.Context, q *db.Queries, want Want, hold func(Candidate) decimal.Decimal) ([]Candidate, error) {
	rows, err := q.RequisiteExplain(ctx, db.RequisiteExplainParams{
		Currency: want.Currency, Method: want.Method, Amount: want.Amount, Now: want.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("explain routing: %w", err)
	}
	candidates := make([]Candidate, 0, len(rows))
	for _, row := range rows {
		c := Candidate{
			RequisiteID: row.ID, TraderID: row.TraderID, Weight: row.Weight, LastUsedAt: row.LastUsedAt,
			TraderRatePercent: row.TraderRatePercent, TraderSharePercent: row.TraderSharePercent, DroppedBy: Rule(row.DroppedBy),
		}
		if c.DroppedBy == Free && row.Available.LessThan(hold(c)) {
			c.DroppedBy = TraderShort
		}
		candidates = append(candidates, c)
	}
	return candidates, nil
}
