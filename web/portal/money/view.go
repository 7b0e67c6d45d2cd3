package money

import (
	"github.com/a-h/templ"

	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

// Money are the actions that move USDT by hand.
type Money struct {
	// Alone says who has to approve.
	Alone string
	Acts  []Act
	Open  int
}

type Act struct {
	Title, Text string
	Href        templ.SafeURL
}

type Approvals struct {
	Tabs  []view.Tab
	Sheet view.Sheet
	Pages view.Pages
	// Alone warns that nobody else could approve.
	Alone string
}

// Approval is a proposal with what the reader may do about it.
type Approval struct {
	Facts          []view.Fact
	State          view.Badge
	Path, Token    string
	Approve, Wrong string
	CanApprove     bool
	CanRefuse      bool
	// Why says why the reader cannot approve it.
	Why string
	// Refuse is what the other button says, and Told whether a trader is
	// told the reason, which is then required.
	Refuse string
	Told   bool
	// Invite leads to the link of an approved invitation, for whoever
	// proposed it.
	Invite view.Link
	// AnotherCode offers whoever approved an invitation another code for
	// it.
	AnotherCode bool
	Reason      string
	// Value is the whole of a proposed requisite, once it was asked for, as
	// CanReveal offers.
	Value     string
	CanReveal bool
}

type Incomes struct {
	Filters  view.Filters
	Tabs     []view.Tab
	Figures  []view.OverviewFigure
	Plot     chart.Chart
	Sheet    view.Sheet
	Currency string
}
