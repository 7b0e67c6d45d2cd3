package bankstatement

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal"
	"gateway.example/web/portal/view"
)

// Page is a requisite's statement, before one was read and after.
type Page struct {
	ID       int64
	Currency string
	// List leads to all requisites.
	List  string
	Wrong string
	// Read tells that a statement was read; Span says what it goes over, Sheets what is on it, and
	// Figures how much.
	Read    bool
	Span    string
	Figures []view.OverviewFigure
	Sheets  []view.Sheet
}

func (p Page) requisite() templ.SafeURL { return view.Link(portal.Numbered(p.List, p.ID)) }

func (p Page) action() templ.SafeURL { return p.requisite() + "/statement" }

// heading is an anchor's name for a part of the page.
func heading(i int) string { return [...]string{"unpaid", "unknown", "missing", "matched"}[i] }
