package money

import (
	"github.com/a-h/templ"

	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

// Money are the actions that move USDT by hand.
type Money struct {
	// Alone says who has to agree.
	Alone string
	Acts  []Act
	Open  int
}

// Act leads to the form of an action.
type Act struct {
	Title, Text string
	Href        templ.SafeURL
}

// Approvals are proposals.
type Approvals struct {
	Tabs  []view.Tab
	Sheet view.Sheet
	Pages view.Pages
	// Alone warns that there is nobody else to approve.
	Alone string
}

// Approval is a proposal, and what the reader may do with it.
type Approval struct {
	Facts          []view.Fact
	State          view.Badge
	Path, Token    string
	Approve, Wrong string
	CanApprove     bool
	CanRefuse      bool
	// Why says why the reader cannot approve it.
	Why    string
	Reason string
}

// Incomes are what the platform earned.
type Incomes struct {
	Filters  view.Filters
	Tabs     []view.Tab
	Figures  []view.OverviewFigure
	Plot     chart.Chart
	Sheet    view.Sheet
	Currency string
}
