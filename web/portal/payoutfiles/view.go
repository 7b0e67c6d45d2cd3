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

// Form asks for a file.
type Form struct {
	Token string
	Key   view.Choice
	File  view.Field
	// NoKey tells that there is no key by which payouts may be made.
	NoKey bool
	// Columns are those that a file may have.
	Columns view.Sheet
}

// Preview is a file before its payouts are made.
type Preview struct {
	Crumb, Pay templ.SafeURL
	// Refused says why nothing can be made, where that is not because of its rows.
	Refused string
	Figures []view.OverviewFigure
	Facts   []view.Fact
	// Flaws are those of the rows that are shown; All leads to a file with every one of More that are not.
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
