package routing

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Routing shows which requisite a payment would get, and the payments that
// found none.
type Routing struct {
	Form view.MoneyForm
	// Replay asks for a payment whose choice is to be shown.
	Replay  view.Field
	Outcome string
	// Asked says that there is an answer.
	Asked    bool
	Sheet    view.Sheet
	More     templ.SafeURL
	Refusals view.Sheet
}

// Replay is the choice of a payment's requisite, as it was made and as it would
// be made now.
type Replay struct {
	Payment      templ.SafeURL
	PaymentLabel string
	Facts        []view.Fact
	Passed, Now  view.Sheet
	Outcome      string
	Same         string
}

// Standing explains why a trader gets payments, or none.
type Standing struct {
	Name   string
	Trader templ.SafeURL
	Answer string
	Sheet  view.Sheet
	More   templ.SafeURL
}
