package search

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Found is what a search has found, in groups.
type Found struct {
	Asked  string
	Groups []Group
	// Missed tells that a list has taken too long and is left out.
	Missed bool
}

// Group is what was found of one kind.
type Group struct {
	Label say.Phrase
	Rows  []Row
	// All leads to the list of all that were found; "" is none.
	All templ.SafeURL
}

// Row is one that was found. Note says what it is.
type Row struct {
	Text, Note string
	Href       templ.SafeURL
	Badge      view.Badge
	At         *time.Time
}

func (r Row) hasBadge() bool { return r.Badge.Text != say.Phrase{} }
