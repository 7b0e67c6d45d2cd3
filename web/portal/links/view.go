package links

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// List is a merchant's links.
type List struct {
	MayMake bool
	Empty   view.Empty
	Links   view.Sheet
	Next    templ.SafeURL
}

// Detail is a link with what came of it.
type Detail struct {
	Address, QR string
	Amount      string
	Status      view.Badge
	Description string
	Facts       []view.Fact
	Close       templ.SafeURL
	// Picture is nil where none can be sent.
	Picture  *PictureForm
	Payments view.Sheet
}

// PictureForm gives a link a picture, or takes it away.
type PictureForm struct {
	Action templ.SafeURL
	File   view.Field
	Token  string
	Has    bool
}
