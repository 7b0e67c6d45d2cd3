package view

import "github.com/a-h/templ"

// Routing is who would get a payment, and why others found nobody.
type Routing struct {
	Form MoneyForm
	// Replay asks for a payment whose choice is shown.
	Replay  Field
	Outcome string
	// Asked tells that there is an answer.
	Asked    bool
	Sheet    Sheet
	More     templ.SafeURL
	Refusals Sheet
}

// RoutingReplay is the choice of a payment, as it was made and as it would be made now.
type RoutingReplay struct {
	Payment      templ.SafeURL
	PaymentLabel string
	Facts        []Fact
	Passed, Now  Sheet
	Outcome      string
	Same         string
}
