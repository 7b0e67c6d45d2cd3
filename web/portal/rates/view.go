package rates

import (
	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

// Rates are the rates, their feeds, and what waits for a rate.
type Rates struct {
	// Ask asks what a payment would be worth, and Quote answers.
	Ask     view.MoneyForm
	Quote   view.Sheet
	May     bool
	Waiting view.Sheet
	More    string
	Pairs   view.Sheet
	Charts  []chart.Chart
	Feeds   view.Sheet
}
