package overview

import (
	"github.com/a-h/templ"

	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

type Overview struct {
	// Picks are the times, currencies and methods that may be chosen.
	Picks [][]view.Pick
	// Answer has the results in short. Any says that there were payments in
	// this period or in the one before.
	Answer []view.OverviewFigure
	Any    bool
	Plot   chart.Chart
	// Funnel shows how many payments reached each stage, and Reasons why
	// the others did not. Newest says how many were examined.
	Funnel, Reasons chart.Ranks
	Newest          string
	Methods         view.Sheet
	// Balance is what all cashboxes have, in USDT; empty for users who see
	// no money.
	Balance   []view.OverviewFigure
	Queues    []Queue
	Endpoints []Queue
}

// Queue is what waits or fails, with a link; Count is limited.
type Queue struct {
	Label, Count string
	Href         templ.SafeURL
}
