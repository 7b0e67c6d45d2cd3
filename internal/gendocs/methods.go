package main

import (
	"fmt"
	"strings"

	"gateway.example/internal/catalogue"
)

// methodTable lists what a merchant may ask for, by currency.
func methodTable(source) (string, error) {
	var rows [][]string
	for _, currency := range catalogue.Currencies {
		var methods []string
		for _, m := range catalogue.Payments(currency) {
			kind, err := describe(m)
			if err != nil {
				return "", err
			}
			methods = append(methods, fmt.Sprintf("%s (%s)", code(m.Name), kind.way))
		}
		rows = append(rows, []string{currency, strings.Join(methods, ", ")})
	}
	return table([]string{"currency", "methods"}, rows), nil
}

// requisiteTable lists what an operator needs to know of each method to set it
// up.
func requisiteTable(source) (string, error) {
	var rows [][]string
	for _, m := range catalogue.Methods {
		kind, err := describe(m)
		if err != nil {
			return "", err
		}
		rows = append(rows, []string{
			code(m.Name), strings.Join(m.Currencies, ", "), kind.value, strings.Join(m.Payouts, ", "),
		})
	}
	return table([]string{"method", "payments in", "`value` of the requisite", "payouts in"}, rows), nil
}

func describe(m catalogue.Method) (requisiteKind, error) {
	kind, known := requisiteKinds[m.RequisiteType]
	if !known {
		return kind, fmt.Errorf("the requisite type %s is not described: do so in internal/gendocs/methods.go", m.RequisiteType)
	}
	return kind, nil
}

// requisiteKind is the way that money goes to a type of requisites, and the
// form of its values.
type requisiteKind struct{ way, value string }

// requisiteKinds are by type; a method without one is card checkout.
var requisiteKinds = map[string]requisiteKind{
	"":      {"card checkout", "none (card checkout)"},
	"sbp":   {"fast transfer to a phone", "phone, such as `+79001234567`"},
	"phone": {"phone balance", "phone, such as `+79001234567`"},
	"card":  {"transfer to a card", "card number of 13 to 19 digits"},
	"iban":  {"transfer to an account", "IBAN"},
}
