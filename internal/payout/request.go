package payout

import (
	"slices"
	"strings"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
)

// requiredText is f.RequiredText for a text that may be nil.
func requiredText(f fault.Fields, field string, value *string) *string {
	sent := ""
	if value != nil {
		sent = *value
	}
	sent = f.RequiredText(field, sent, maxText)
	return &sent
}

func payoutCurrencies() []string {
	return slices.DeleteFunc(slices.Clone(catalogue.Currencies), func(currency string) bool {
		return len(catalogue.Payouts(currency)) == 0
	})
}

func payoutMethods() []string {
	return catalogue.Names(slices.DeleteFunc(slices.Clone(catalogue.Methods), func(m catalogue.Method) bool {
		return len(m.Payouts) == 0
	}))
}

// checkMethod checks that there are payouts by the method in the currency.
func checkMethod(f fault.Fields, r Request) {
	currencyGiven, methodGiven := f.Required("currency", r.Currency), f.Required("method", r.Method)
	method, _ := catalogue.Find(catalogue.Methods, r.Method)
	knownCurrency, knownMethod := len(catalogue.Payouts(r.Currency)) > 0, len(method.Payouts) > 0
	f.Check(knownCurrency || !currencyGiven, "currency", "%s", fault.OneOf(r.Currency, payoutCurrencies()))
	f.Check(knownMethod || !methodGiven, "method", "%s", fault.OneOf(r.Method, payoutMethods()))
	if knownMethod && knownCurrency && !slices.Contains(method.Payouts, r.Currency) {
		f.Add("method", "is not a method for %s, which has %s", r.Currency,
			strings.Join(catalogue.Names(catalogue.Payouts(r.Currency)), ", "))
	}
}
