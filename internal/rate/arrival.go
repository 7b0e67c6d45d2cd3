package rate

import "github.com/shopspring/decimal"

// Arrival is the amount that arrived for a payment, next to the amount asked
// for.
type Arrival struct {
	Asked, Came decimal.Decimal
	// AsItCame settles the amount that arrived instead of the amount asked
	// for.
	AsItCame bool
	// ToPlatform gives the difference, a gain or a loss, to the platform.
	// Otherwise it is the trader's, who received the money.
	ToPlatform bool
}

// Worth returns what is settled, and what the platform gets of the difference
// in addition to its part of the spread; it is negative if the platform pays.
// The difference is converted at the base rate and rounded towards 0.
//
//rule:what a payment is worth of which another amount came
func (a Arrival) Worth(base decimal.Decimal, terms Terms) (Quote, decimal.Decimal) {
	if a.AsItCame {
		return Calculate(a.Came, base, terms), decimal.Zero
	}
	if !a.ToPlatform {
		return Calculate(a.Asked, base, terms), decimal.Zero
	}
	return Calculate(a.Asked, base, terms), quotient(a.Came.Sub(a.Asked), base)
}
