package view

import "github.com/a-h/templ"

// Progress is how far something has come that takes long. It goes on without anybody looking.
type Progress struct {
	// Label says what is counted.
	Label string
	// Of is how many there are, 0 where that is not known.
	Done, Of int64
	// Runs tells that it goes on: the page is asked for anew until it has ended.
	Runs bool
}

// Again has a part of a page ask for itself anew while what it tells of goes on.
func (p Progress) Again(href string) templ.Attributes {
	if !p.Runs {
		return nil
	}
	return templ.Attributes{"hx-get": href, "hx-trigger": "every 3s", "hx-swap": "outerMorph"}
}
