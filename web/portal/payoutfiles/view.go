package payoutfiles

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// List is a merchant's files.
type List struct {
	MayPay bool
	Files  view.Sheet
	Next   templ.SafeURL
}

type Form struct {
	Token string
	Key   view.Choice
	File  view.Field
	// NoKey says that there is no key that may make payouts.
	NoKey bool
	// Columns are the columns that a file may have.
	Columns view.Sheet
}

// Preview is a file before its payouts are made.
type Preview struct {
	Crumb, Pay templ.SafeURL
	// Refused says why no payouts can be made, if that is not because of
	// the rows.
	Refused string
	Figures []view.OverviewFigure
	Facts   []view.Fact
	// Flaws are the flaws that are shown. More is how many are not shown,
	// and All links to a download of all.
	Flaws view.Sheet
	More  int
	All   templ.SafeURL
	Again templ.SafeURL
}

// Made is a file whose payouts were made.
type Made struct {
	Path     string
	Progress view.Progress
	Figures  []view.OverviewFigure
	Facts    []view.Fact
	Result   templ.SafeURL
}
