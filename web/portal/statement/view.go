package statement

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Accounts is the list of accounts with their balances.
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
	// Opening and Closing are the balances at OpeningAt and ClosingAt. A
	// zero ClosingAt is now.
	Opening, Closing     string
	OpeningAt, ClosingAt time.Time
	Items                []Line
	Empty                view.Empty
	Pages                view.Pages
}

// Line is a movement.
type Line struct {
	At time.Time
	// Day is shown above the first line of a day.
	Day string
	// What is the reason, and About the subject. Href links to the subject,
	// or is "".
	What, About string
	Href        templ.SafeURL
	// Amount has its sign; it is the sum of the parts if there are several.
	// In says that the account received it.
	Amount  string
	In      bool
	Parts   []Part
	Balance string
}

// Part is what one event moved from or to one other account.
type Part struct{ What, Amount string }
