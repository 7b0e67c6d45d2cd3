package view

import "github.com/a-h/templ"

// Progress is the progress of something that takes long. It continues while
// nobody has the page open.
type Progress struct {
	// Label says what is counted.
	Label string
	// Of is how many there are; 0 if that is not known.
	Done, Of int64
	// Runs says that it has not ended: then the page refreshes itself.
	Runs bool
}

// Again makes a part of a page refresh itself from href until what it shows has
// ended.
func (p Progress) Again(href string) templ.Attributes {
	if !p.Runs {
		return nil
	}
	return templ.Attributes{"hx-get": href, "hx-trigger": "every 3s", "hx-swap": "outerMorph"}
}
