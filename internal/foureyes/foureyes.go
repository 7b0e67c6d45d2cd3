// Package foureyes knows which of an operator's actions take a second operator.
package foureyes

import (
	"github.com/shopspring/decimal"

	"gateway.example/internal/fault"
)

// ErrSecondOperator refuses an action that one operator alone may not do. Whoever calls the service
// turns it into a proposal.
var ErrSecondOperator = fault.New(fault.Refused, "second_operator_required",
	"This takes a second operator: propose it, and another operator approves it.")

// Rules are which actions take a second operator. The zero value asks for none.
type Rules struct {
	// On switches the rules on.
	On bool
	// Above is how many USDT a deposit may bring and an insurance may be changed by without a second
	// operator.
	Above decimal.Decimal
	// RatePercent is how far a rate may be set by hand from what was known, in percent. It is for
	// currencies without feeds; otherwise the narrowest band of its feeds holds.
	RatePercent decimal.Decimal
}

// Always refuses an action that takes a second operator whatever it is about.
func (r Rules) Always() error {
	if r.On {
		return ErrSecondOperator
	}
	return nil
}

// Moving refuses an action that moves more USDT than one operator may.
func (r Rules) Moving(amount decimal.Decimal) error {
	if r.On && amount.Abs().GreaterThan(r.Above) {
		return ErrSecondOperator
	}
	return nil
}

// Away refuses a rate that is further away from what was known than the band allows, in percent.
func (r Rules) Away(percent, band decimal.Decimal) error {
	if r.On && percent.GreaterThan(band) {
		return ErrSecondOperator
	}
	return nil
}
