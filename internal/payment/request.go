package payment

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

func checkRatePercent(f fault.Fields, literal *string) decimal.NullDecimal {
	if literal == nil || f.Wrong("ratePercent") {
		return decimal.NullDecimal{}
	}
	percent, err := money.ParsePercent(*literal)
	if err != nil {
		f.Add("ratePercent", "%s", err)
	}
	return decimal.NewNullDecimal(percent)
}

func checkPayer(f fault.Fields, p Payer) {
	f.OptionalMaxLength("payer.userId", p.UserID, maxText)
	f.MaxLength("payer.fullName", p.FullName, maxText)
	f.MaxLength("payer.type", p.Type, maxText)
	if p.UserIP != nil {
		ip, err := netip.ParseAddr(*p.UserIP)
		f.Check(err == nil && ip.Is4(), "payer.userIp", "must be an IPv4 address")
	}
	f.Check(p.Successful >= 0, "payer.payments.successful", "must be at least 0")
	f.Check(p.Expired >= 0, "payer.payments.expired", "must be at least 0")
}

// checkMethod finds the method that applies: the nested one takes precedence,
// and only RUB has it.
func checkMethod(f fault.Fields, r Request) catalogue.Method {
	field, name := "method", r.Method
	currencyGiven := f.Required("currency", r.Currency)
	if r.RubCollectMethod != nil {
		field, name = "rubCollect.method", r.RubCollectMethod
		f.Check(*name == "sbp" || *name == "card", field, "must be sbp or card")
		f.Check(r.Currency == "RUB" || f.Wrong("currency"), "rubCollect", "is for RUB only")
	}
	if !f.Required(field, optional.Value(name)) || !currencyGiven {
		return catalogue.Method{}
	}
	return findMethod(f, field, *name, r.Currency)
}

// findMethod finds a method of payments in a currency, or adds to f what is
// wrong with the method or the currency.
func findMethod(f fault.Fields, field, name, currency string) catalogue.Method {
	found, known := catalogue.Find(catalogue.Methods, name)
	if slices.Contains(found.Currencies, currency) {
		return found
	}
	f.Check(slices.Contains(catalogue.Currencies, currency), "currency", "%s", fault.OneOf(currency, catalogue.Currencies))
	f.Check(known, field, "%s", fault.OneOf(name, catalogue.Names(catalogue.Methods)))
	if known && !f.Wrong("currency") {
		f.Add(field, "is not a method for %s, which has %s", currency,
			strings.Join(catalogue.Names(catalogue.Payments(currency)), ", "))
	}
	return catalogue.Method{}
}

func trimmed(s *string) *string {
	if inside := strings.TrimSpace(optional.Value(s)); inside != "" {
		return &inside
	}
	return nil
}
