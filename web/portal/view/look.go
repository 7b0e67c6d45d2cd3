package view

import (
	"github.com/a-h/templ"
)

// Looks is the page on which a cashbox gets its look.
type Looks struct {
	Boxes []Tab
	Empty Empty
	// Box is the cashbox's name; "" where there is none.
	Box    string
	Action string
	Fields []Field
	// Color is that of the field for a colour, as the browser's own chooser takes it.
	Color  string
	Events bool
	// Token and Version are of the form. MayChange tells that it may be sent.
	Token, Version string
	MayChange      bool
	Drawn          DrawnLook
}

// redraw is where the form is sent to be drawn, and not saved.
func (l Looks) redraw() string { return l.Action + "&do=preview" }

// Follows are the attributes of the field whose colour the preview follows.
func (l Looks) Follows() templ.Attributes {
	return templ.Attributes{
		"hx-post": l.redraw(), "hx-trigger": "input changed delay:300ms", "hx-include": "closest form",
		"hx-target": "#drawn", "hx-select": "#drawn", "hx-swap": "outerHTML",
	}
}

// DrawnLook is the payer's page in a colour, and what there is to say of the colour.
type DrawnLook struct {
	// Preview is the address of the page in a frame.
	Preview string
	// Light and Dark are the colours as they are drawn; "" where they are ours.
	Light, Dark string
	// Notes say what is drawn otherwise, Good that nothing is.
	Notes []string
	Good  string
}
