package portal

import (
	"net/url"

	"gateway.example/internal/catalogue"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// AmountField asks for an amount of USDT.
func AmountField(label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	return view.Field{
		Name: "amount", Label: label, Value: typed.Get("amount"), Wrong: wrong["amount"], Max: 24,
		More: map[string]any{"inputmode": "decimal", "autocomplete": "off"},
	}
}

// NumberField asks for a whole number.
func NumberField(name string, label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	return view.Field{
		Name: name, Label: label, Value: typed.Get(name), Wrong: wrong[name], Max: 19,
		More: map[string]any{"inputmode": "numeric", "autocomplete": "off"},
	}
}

// CurrencyChoice asks for one of the currencies.
func CurrencyChoice(value, wrong string) view.Choice {
	c := view.Choice{Name: "currency", Label: say.Currency, Value: value, Wrong: wrong}
	for _, currency := range catalogue.Currencies {
		c.Options = append(c.Options, view.Option{Value: currency, Text: currency})
	}
	return c
}
