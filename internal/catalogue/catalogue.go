// Package catalogue lists the methods that the platform knows, and the
// currencies they are for. The tables method and payout_method of the database
// say the same of each method and currency, for what is written in SQL, and a
// test compares the two.
package catalogue

import (
	"slices"
	"time"
)

// Method is a way to pay.
type Method struct {
	Name string
	// RequisiteType is what the payer sends money to, one of
	// requisite.Types. RequisiteMethod is what callers are told about how
	// to send it. Both are empty for card checkout.
	RequisiteType, RequisiteMethod string
	// Validity is how long a payment waits for its payer by default.
	Validity time.Duration
	// Currencies are the currencies of payments, and Payouts the currencies
	// of payouts.
	Currencies, Payouts []string
}

// Currencies are all currencies. Their amounts have money.FiatDecimals.
var Currencies = []string{"RUB", "AZN", "TRY", "MNT", "KZT", "UZS"}

// Methods are all methods. A new method or currency also needs a migration that
// adds its rows.
var Methods = []Method{
	{
		Name: "sbp", RequisiteType: "sbp", RequisiteMethod: "sbp", Validity: 15 * time.Minute,
		Currencies: []string{"RUB"}, Payouts: []string{"RUB"},
	},
	{
		Name: "sim", RequisiteType: "phone", RequisiteMethod: "sim", Validity: 15 * time.Minute,
		Currencies: []string{"RUB"},
	},
	{
		Name: "card", RequisiteType: "card", RequisiteMethod: "card2card", Validity: 20 * time.Minute,
		Currencies: []string{"RUB"},
	},
	{Name: "mtstpay", Validity: 15 * time.Minute, Currencies: []string{"RUB"}},
	{Name: "quasi_ecom", Validity: 15 * time.Minute, Currencies: []string{"AZN", "TRY"}},
	{
		Name: "c2c", RequisiteType: "card", RequisiteMethod: "card2card", Validity: 20 * time.Minute,
		Currencies: []string{"AZN", "TRY", "MNT", "KZT", "UZS"}, Payouts: []string{"RUB"},
	},
	{
		Name: "iban", RequisiteType: "iban", RequisiteMethod: "iban", Validity: 30 * time.Minute,
		Currencies: []string{"MNT"},
	},
}

// PayoutValidity is how long a payout may take by default.
const PayoutValidity = 24 * time.Hour

// Payments are the methods of payments in a currency.
func Payments(currency string) []Method {
	return where(func(m Method) bool { return slices.Contains(m.Currencies, currency) })
}

// Payouts are the methods of payouts in a currency.
func Payouts(currency string) []Method {
	return where(func(m Method) bool { return slices.Contains(m.Payouts, currency) })
}

func where(holds func(Method) bool) []Method {
	return slices.DeleteFunc(slices.Clone(Methods), func(m Method) bool { return !holds(m) })
}

// Find is the method of the given ones that has the name.
func Find(methods []Method, name string) (Method, bool) {
	at := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if at < 0 {
		return Method{}, false
	}
	return methods[at], true
}

// Names are the names of methods.
func Names(methods []Method) []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}
