package search

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Found are the results of a search, in groups.
type Found struct {
	Asked  string
	Groups []Group
	// Missed says that a list took too long and is left out.
	Missed bool
}

// Group are the results of one kind.
type Group struct {
	Label say.Phrase
	Rows  []Row
	// All links to the list of all results; "" if there is none.
	All templ.SafeURL
}

// Row is a result. Note says what it is.
type Row struct {
	Text, Note string
	Href       templ.SafeURL
	Badge      view.Badge
	At         *time.Time
}

func (r Row) hasBadge() bool { return r.Badge.Text != say.Phrase{} }
