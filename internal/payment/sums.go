package payment

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/requisite"
)

// Sums are the part of a payment's calculation that a caller may see. A nil
// number is hidden from the caller, or is not known until there is a fresh
// rate.
type Sums struct {
	// Restricted says that the caller sees neither the platform's earnings,
	// nor the base rate and markup, from which these could be calculated.
	Restricted bool
	// Amount is what the merchant gets, SpreadTrader what the trader keeps,
	// Profit the whole spread. Difference is what the platform gets besides
	// SpreadPlatform, because another amount came.
	Amount, SpreadTrader, SpreadPlatform, Difference, Profit, BaseRate, Markup *decimal.Decimal
}

// SumsFor is the calculation as far as the caller may see it.
func (p Payment) SumsFor(who caller.Caller) Sums {
	s := Sums{Markup: &p.MarkupPercent}
	if !p.RateUnavailable {
		s.Amount, s.SpreadTrader, s.BaseRate = &p.AmountUSDT, &p.SpreadTraderUSDT, &p.BaseRate
		s.Profit, s.SpreadPlatform, s.Difference = &p.ProfitUSDT, &p.SpreadPlatformUSDT, &p.DifferenceUSDT
	}
	if !who.SeesRate() {
		return s.Restrict()
	}
	if !who.SeesEarnings() {
		s.Profit, s.SpreadPlatform, s.Difference = nil, nil, nil
	}
	if !who.SeesTrader() {
		s.SpreadTrader = nil
	}
	return s
}

// Restrict removes the platform's earnings and what they could be calculated
// from.
func (s Sums) Restrict() Sums {
	s.Restricted = true
	s.Profit, s.SpreadPlatform, s.Difference, s.BaseRate, s.Markup = nil, nil, nil, nil, nil
	return s
}

// RequisiteFor is the requisite to which the payer sends the money, as far as
// the caller may see it; nil without a requisite.
func (p Payment) RequisiteFor(who caller.Caller) *string {
	if p.RequisiteValue == nil || who.SeesWholeRequisites() {
		return p.RequisiteValue
	}
	return new(requisite.Mask(*p.RequisiteValue))
}
