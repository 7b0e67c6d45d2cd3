package rates

import (
	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

// Rates are the rates, their feeds, and the payments that wait for a rate.
type Rates struct {
	// Ask asks what a payment would be worth, and Quote has the answer.
	Ask     view.MoneyForm
	Quote   view.Sheet
	May     bool
	Waiting view.Sheet
	More    string
	Pairs   view.Sheet
	Charts  []chart.Chart
	Feeds   view.Sheet
}
