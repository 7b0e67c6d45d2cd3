package bankstatement

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

// Page is a requisite's page, before and after a statement was read.
type Page struct {
	ID       int64
	Currency string
	// List links to all requisites.
	List  string
	Wrong string
	// Read says that a statement was read. Span is its period, Sheets are
	// its lines, and Figures are its sums.
	Read    bool
	Span    string
	Figures []view.OverviewFigure
	Sheets  []view.Sheet
}

func (p Page) requisite() templ.SafeURL { return view.Link(portal.Numbered(p.List, p.ID)) }

func (p Page) action() templ.SafeURL { return p.requisite() + "/statement" }

// heading is the anchor of a part of the page.
func heading(i int) string { return [...]string{"unpaid", "unknown", "missing", "matched"}[i] }
