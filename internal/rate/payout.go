package rate

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/money"
)

// PayoutQuote is what a payout costs in USDT, 8 decimals each.
type PayoutQuote struct {
	// Spot is the amount at the base rate, rounded down.
	Spot decimal.Decimal
	// Frozen is what the merchant pays: the amount with the markup, rounded up.
	Frozen decimal.Decimal
}

// QuotePayout quotes an amount of fiat to be paid out, markup in percent.
func QuotePayout(fiat, base, markup decimal.Decimal) PayoutQuote {
	// frozen = fiat / base × (1 + markup/100), multiplied out so that only one division rounds.
	frozen, rest := fiat.Mul(hundred.Add(markup)).QuoRem(base.Mul(hundred), money.USDTDecimals)
	if rest.IsPositive() {
		frozen = frozen.Add(decimal.New(1, -money.USDTDecimals))
	}
	return PayoutQuote{Spot: quotient(fiat, base), Frozen: frozen}
}

// Divide says who gets what of the frozen sum: the trader spot and their share of the markup, a
// percent of spot and not more than the markup; the platform the rest.
func (q PayoutQuote) Divide(sharePercent decimal.Decimal) (trader, platform decimal.Decimal) {
	share := q.Spot.Mul(sharePercent).Shift(-2).Truncate(money.USDTDecimals)
	trader = q.Spot.Add(decimal.Min(share, q.Frozen.Sub(q.Spot)))
	return trader, q.Frozen.Sub(trader)
}
