package statement

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Accounts are who has what.
type Accounts struct {
	Tabs  []view.Tab
	Sheet view.Sheet
	Pages view.Pages
}

// Statement is part of an account's statement.
type Statement struct {
	Filters view.Filters
	// Accounts are the tabs.
	Accounts []view.Tab
	// Opening and Closing are what the account had at the bounds, OpeningAt and ClosingAt. A ClosingAt
	// that is zero is now.
	Opening, Closing     string
	OpeningAt, ClosingAt time.Time
	Items                []Line
	Empty                view.Empty
	Pages                view.Pages
}

// Line is a movement.
type Line struct {
	At time.Time
	// Day is said above the first line of a day.
	Day string
	// What says why, About what for. Href leads to that; "" leads nowhere.
	What, About string
	Href        templ.SafeURL
	// Amount has its sign, and is the sum of the parts where there are several; In tells that the account got it.
	Amount  string
	In      bool
	Parts   []Part
	Balance string
}

// Part is what one event moved from or to one account.
type Part struct{ What, Amount string }
