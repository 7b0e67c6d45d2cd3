package payment

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/requisite"
)

// Sight is what a caller may see of a payment in addition to what every reader sees. A nil number is hidden from
// the caller, or is not known until there is a fresh rate.
type Sight struct {
	// Link says that the caller may have the link to the payer's page. Whoever has the link can act as the payer.
	Link bool
	// Restricted says that the caller sees neither the platform's earnings, nor the base rate and markup, from
	// which these could be calculated.
	Restricted bool
	// Amount is what the merchant gets, SpreadTrader what the trader keeps, Profit the whole spread.
	Amount, SpreadTrader, SpreadPlatform, Profit, BaseRate, Markup *decimal.Decimal
}

// mayHoldLink reports whether the caller may act as the payer: pay, claim and cancel. That is the
// merchant's program, its users who may end payments, and the payer. Operators, traders and operators
// who look as another user may not.
func mayHoldLink(who caller.Caller) bool {
	return who.Kind == caller.MerchantKey || who.Kind == caller.Cabinet && !who.ViewAs || who.May(caller.MerchantLinks)
}

// RequisiteFor is the requisite to which the payer sends the money, as far as the caller may see it; nil without a
// requisite.
func (p Payment) RequisiteFor(who caller.Caller) *string {
	if p.RequisiteValue == nil || who.SeesWhole() {
		return p.RequisiteValue
	}
	return new(requisite.Mask(*p.RequisiteValue))
}

func (p Payment) Seen(who caller.Caller) Sight {
	s := Sight{
		Link:       mayHoldLink(who),
		Restricted: who.Kind == caller.Cabinet || who.Kind == caller.Trader,
	}
	if !p.RateUnavailable {
		s.Amount, s.SpreadTrader = &p.AmountUSDT, &p.SpreadTraderUSDT
	}
	s.Markup = &p.MarkupPercent
	if !p.RateUnavailable {
		s.Profit, s.SpreadPlatform, s.BaseRate = &p.ProfitUSDT, &p.SpreadPlatformUSDT, &p.BaseRate
	}
	if s.Restricted {
		return s.Restrict()
	}
	if who.Kind == caller.MerchantPortal { // they may see their own terms, but not how the others share
		s.Profit, s.SpreadTrader, s.SpreadPlatform = nil, nil, nil
	}
	return s
}

// Restrict removes the platform's earnings and what they could be calculated from.
func (s Sight) Restrict() Sight {
	s.Restricted = true
	s.Profit, s.SpreadPlatform, s.BaseRate, s.Markup = nil, nil, nil, nil
	return s
}
