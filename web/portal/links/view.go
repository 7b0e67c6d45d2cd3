package links

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Detail is a link with what came of it.
type Detail struct {
	List templ.SafeURL
	// QR is drawn for who gives the address away.
	Address, QR string
	Amount      string
	Status      view.Badge
	Description string
	Facts       []view.Fact
	// Close and Remove are for who may close the link, and take its picture away.
	Close, Remove templ.SafeURL
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
