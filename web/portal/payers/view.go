package payers

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Blocks is a list of blocks.
type Blocks struct {
	Tabs  []view.Tab
	Sheet view.Sheet
	Pages view.Pages
	// New links to the form that makes a block; "" if the user may not.
	New templ.SafeURL
}

type Block struct {
	Shown string
	State view.Badge
	Facts []view.Fact
	List  templ.SafeURL
	// Lift is the form that lifts it; without an action it cannot be
	// lifted, or not by this user.
	Lift view.MoneyForm
}

// Payer is what is known of a payer.
type Payer struct {
	User string
	// Whose is the merchant's name, for operators.
	Whose   string
	Figures []view.OverviewFigure
	// Note says that not all payments were examined.
	Note    string
	Blocked []Blocked
	Tables  []view.Sheet
	// All links to all their payments, or is "" if their id is too long to
	// search for. Block links to the form that blocks them, or is "" if the
	// user may not.
	All, Block templ.SafeURL
}

// Blocked is a block that applies to the payer.
type Blocked struct {
	Text string
	Href templ.SafeURL
}

// Patterns are what a person should look at.
type Patterns struct {
	Note   string
	Tables []view.Sheet
}
