package payment

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/requisite"
)

// Sight is what a caller may see of a payment beside what everybody sees who may read it. A number
// that is nil is not for the caller, or not known before there is a fresh rate.
type Sight struct {
	// Link says that the caller may have the link to the payer's page. Who holds it acts as the
	// payer.
	Link bool
	// Restricted says that the caller does not see what the platform earns, nor base rate and
	// markup, from which it could be calculated.
	Restricted bool
	// Amount is what the merchant gets, SpreadTrader what the trader keeps, Profit the whole
	// spread.
	Amount, SpreadTrader, SpreadPlatform, Profit, BaseRate, Markup *decimal.Decimal
}

// mayHoldLink reports whether the caller may act as the payer: pay, claim and cancel in their name. That
// is the merchant's program, which made the payment, those of the merchant's users who may end what was
// made, and the payer. Operators and traders may not, nor who looks as another user.
func mayHoldLink(who caller.Caller) bool {
	return who.Kind == caller.MerchantKey || who.Kind == caller.Cabinet && !who.ViewAs || who.May(caller.MerchantLinks)
}

// RequisiteFor is where the payer sends the money, as the caller sees it, or nil where there is none.
// Operators see its last characters, as whoever they look: who reads it whole does so at the
// requisite's own, where that is noted.
func (p Payment) RequisiteFor(who caller.Caller) *string {
	if p.RequisiteValue == nil || who.Kind != caller.Operator && !who.ViewAs {
		return p.RequisiteValue
	}
	return new(requisite.Mask(*p.RequisiteValue))
}

// Seen is what a caller who may read the payment sees of it.
func (p Payment) Seen(who caller.Caller) Sight {
	s := Sight{
		Link:       mayHoldLink(who),
		Restricted: who.Kind == caller.Cabinet || who.Kind == caller.Trader,
	}
	if !p.RateUnavailable {
		s.Amount, s.SpreadTrader = &p.AmountUSDT, &p.SpreadTraderUSDT
	}
	if s.Restricted {
		return s
	}
	s.Markup = &p.MarkupPercent
	if !p.RateUnavailable {
		s.Profit, s.SpreadPlatform, s.BaseRate = &p.ProfitUSDT, &p.SpreadPlatformUSDT, &p.BaseRate
	}
	return s
}
