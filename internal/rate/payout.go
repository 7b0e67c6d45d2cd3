package rate

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/money"
)

// PayoutQuote is the price of a payout in USDT, each with 8 decimals.
type PayoutQuote struct {
	// Spot is the amount at the base rate, rounded down.
	Spot decimal.Decimal
	// Frozen is what the merchant pays: the amount with the markup, rounded
	// up.
	Frozen decimal.Decimal
}

// QuotePayout calculates the price of a fiat amount, with the markup in
// percent.
//
//rule:what a payout costs
func QuotePayout(fiat, base, markup decimal.Decimal) PayoutQuote {
	// frozen = fiat / base × (1 + markup/100), multiplied out so that only
	// one division rounds.
	frozen, rest := fiat.Mul(hundred.Add(markup)).QuoRem(base.Mul(hundred), money.USDTDecimals)
	if rest.IsPositive() {
		frozen = frozen.Add(decimal.New(1, -money.USDTDecimals))
	}
	return PayoutQuote{Spot: quotient(fiat, base), Frozen: frozen}
}

// Divide divides the frozen sum: the trader gets spot and their share of the
// markup, a percent of spot and not more than the markup; the platform gets the
// rest.
func (q PayoutQuote) Divide(sharePercent decimal.Decimal) (trader, platform decimal.Decimal) {
	share := q.Spot.Mul(sharePercent).Shift(-2).Truncate(money.USDTDecimals)
	trader = q.Spot.Add(decimal.Min(share, q.Frozen.Sub(q.Spot)))
	return trader, q.Frozen.Sub(trader)
}
