package inforce

import (
	"github.com/shopspring/decimal"
)

// AmountPolicy says what happens if a payment receives an amount other than the
// one asked for.
type AmountPolicy struct {
	// Kind is exact, tolerance or received.
	Kind string
	// Percent (of the amount asked) and Amount are how large a difference
	// is tolerated. If both are set, the difference must be within both; if
	// neither is set, no difference is tolerated.
	Percent, Amount decimal.NullDecimal
	// ToPlatform gives a tolerated difference to the platform; otherwise
	// the trader has it.
	ToPlatform bool
}

// Near reports whether the received amount is close enough to count as the
// amount asked.
func (p AmountPolicy) Near(asked, came decimal.Decimal) bool {
	off := came.Sub(asked).Abs()
	if p.Kind != "tolerance" || !p.Percent.Valid && !p.Amount.Valid {
		return off.IsZero()
	}
	return (!p.Percent.Valid || off.LessThanOrEqual(asked.Mul(p.Percent.Decimal).Shift(-2))) &&
		(!p.Amount.Valid || off.LessThanOrEqual(p.Amount.Decimal))
}

// AsItCame reports whether the received amount becomes the amount of the
// payment.
func (p AmountPolicy) AsItCame() bool { return p.Kind == "received" }
