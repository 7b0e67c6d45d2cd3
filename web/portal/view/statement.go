package view

import (
	"time"

	"github.com/a-h/templ"
)

// Statement is part of an account's statement.
type Statement struct {
	Filters Filters
	// Accounts are the tabs.
	Accounts []Tab
	// Opening and Closing are what the account had at the bounds, OpeningAt and ClosingAt. A ClosingAt
	// that is zero is now.
	Opening, Closing     string
	OpeningAt, ClosingAt time.Time
	Items                []StatementLine
	Empty                Empty
	Pages                Pages
}

// Tab is one of several pages, of which one is shown.
type Tab struct {
	Text    string
	Href    templ.SafeURL
	Current bool
}

// StatementLine is a movement.
type StatementLine struct {
	At time.Time
	// Day is said above the first line of a day.
	Day string
	// What says why, About what for. Href leads to that; "" leads nowhere.
	What, About string
	Href        templ.SafeURL
	// Amount has its sign; In tells that the account got it.
	Amount  string
	In      bool
	Balance string
}
