package payers

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Blocks is the list of who is kept out.
type Blocks struct {
	Tabs  []view.Tab
	Sheet view.Sheet
	Pages view.Pages
	// New leads to the form that blocks; "" is not for this user.
	New templ.SafeURL
}

// Block is one of them.
type Block struct {
	Shown string
	State view.Badge
	Facts []view.Fact
	List  templ.SafeURL
	// Lift is the form that ends it; without an action it cannot be ended, or not by this user.
	Lift view.MoneyForm
}

// Payer is what is known of a payer.
type Payer struct {
	User string
	// Whose names the merchant, to operators.
	Whose   string
	Figures []view.OverviewFigure
	// Note says that not all payments were looked at.
	Note    string
	Blocked []Blocked
	Tables  []view.Sheet
	// All leads to all their payments, "" where their id is too long to be looked for; Block to the form that blocks them, "" is
	// not for this user.
	All, Block templ.SafeURL
}

// Blocked is a block that keeps them out.
type Blocked struct {
	Text string
	Href templ.SafeURL
}

// Patterns are what a person should look at.
type Patterns struct {
	Note   string
	Tables []view.Sheet
}
