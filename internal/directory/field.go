package directory

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/setting"
)

// optionalPercent parses a percent; empty is none.
func optionalPercent(f fault.Fields, field, literal string) decimal.NullDecimal {
	return optionalNumber(f, field, literal, money.ParsePercent)
}

// optionalAmount parses a fiat amount; empty is none.
func optionalAmount(f fault.Fields, field, literal string) decimal.NullDecimal {
	return optionalNumber(f, field, literal, func(s string) (decimal.Decimal, error) { return money.Parse(s, money.FiatDecimals) })
}

func optionalNumber(f fault.Fields, field, literal string, parse func(string) (decimal.Decimal, error)) decimal.NullDecimal {
	if literal == "" {
		return decimal.NullDecimal{}
	}
	value, err := parse(literal)
	if err != nil {
		f.Add(field, "%s", err)
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(value)
}

func checkOrder(f fault.Fields, minimum, maximum decimal.NullDecimal) {
	ordered := !minimum.Valid || !maximum.Valid || minimum.Decimal.LessThanOrEqual(maximum.Decimal)
	f.Check(ordered, "maxAmount", "must not be less than minAmount")
}

func checkClock(f fault.Fields, field, clock string) {
	_, err := time.Parse("15:04", clock)
	f.Check(err == nil, field, "must be a time of day, HH:MM")
}

// checkName trims a name, and requires that it is not empty.
func checkName(f fault.Fields, name string) string {
	return f.RequiredText("name", name, int(setting.Merchant.Find("name").Max))
}

// checkCurrency refuses an unknown currency. It accepts "", because whether a
// currency is required is checked elsewhere.
func checkCurrency(f fault.Fields, currency string) {
	known := currency == "" || slices.Contains(catalogue.Currencies, currency)
	f.Check(known, "currency", "is not a known currency")
}
