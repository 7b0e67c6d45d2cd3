package rate

import "github.com/shopspring/decimal"

// Arrival is the money that came for a payment, beside what was asked.
type Arrival struct {
	Asked, Came decimal.Decimal
	// AsItCame counts what came, and not what was asked.
	AsItCame bool
	// ToPlatform has the platform gain or bear the difference. Otherwise whoever got the money does.
	ToPlatform bool
}

// Worth is what is settled, and what of the difference the platform gets besides its part of the
// spread: below 0, what it adds. The difference is at the base rate, rounded towards 0.
func (a Arrival) Worth(base decimal.Decimal, terms Terms) (Quote, decimal.Decimal) {
	if a.AsItCame {
		return Calculate(a.Came, base, terms), decimal.Zero
	}
	if !a.ToPlatform {
		return Calculate(a.Asked, base, terms), decimal.Zero
	}
	return Calculate(a.Asked, base, terms), quotient(a.Came.Sub(a.Asked), base)
}
