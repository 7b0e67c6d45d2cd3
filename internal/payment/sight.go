package payment

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
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

// Seen is what a caller who may read the payment sees of it.
func (p Payment) Seen(who caller.Caller) Sight {
	s := Sight{
		// A trader with the link would pay, claim and cancel in the payer's name.
		Link:       who.Kind != caller.Trader,
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
