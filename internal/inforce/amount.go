package inforce

import (
	"github.com/shopspring/decimal"
)

// AmountPolicy says what becomes of another amount than a payment asks for.
type AmountPolicy struct {
	// Kind is exact, tolerance or received.
	Kind string
	// Percent, of the amount asked, and Amount are how far off is near enough: within both where both
	// are set, and nothing where none is.
	Percent, Amount decimal.NullDecimal
	// ToPlatform gives the platform the difference of what is near enough. It is the trader's otherwise.
	ToPlatform bool
}

// Near reports whether what came is near enough to be taken for the amount asked.
func (p AmountPolicy) Near(asked, came decimal.Decimal) bool {
	off := came.Sub(asked).Abs()
	if p.Kind != "tolerance" || !p.Percent.Valid && !p.Amount.Valid {
		return off.IsZero()
	}
	return (!p.Percent.Valid || off.LessThanOrEqual(asked.Mul(p.Percent.Decimal).Shift(-2))) &&
		(!p.Amount.Valid || off.LessThanOrEqual(p.Amount.Decimal))
}

// AsItCame reports whether what came is taken as the payment's amount.
func (p AmountPolicy) AsItCame() bool { return p.Kind == "received" }
