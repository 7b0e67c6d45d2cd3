package overview

import (
	"github.com/a-h/templ"

	"gateway.example/web/chart"
	"gateway.example/web/portal/view"
)

// Overview is how a merchant stands.
type Overview struct {
	// Picks are the times, currencies and methods that may be chosen.
	Picks [][]view.Pick
	// Answer is how payments went in short. Any tells that there were some in this time or in the one before.
	Answer []view.OverviewFigure
	Any    bool
	Plot   chart.Chart
	// Funnel is how far payments came, Reasons why the others did not; Newest says of how many.
	Funnel, Reasons chart.Ranks
	Newest          string
	Methods         view.Sheet
	// Balance is what all cashboxes have, in USDT; empty for who sees no money.
	Balance   []view.OverviewFigure
	Queues    []Queue
	Endpoints []Queue
}

// Queue is what waits or fails, and where it is; Count is capped.
type Queue struct {
	Label, Count string
	Href         templ.SafeURL
}
