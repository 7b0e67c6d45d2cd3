package links

import (
	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Detail is the page of a link with its payments.
type Detail struct {
	List templ.SafeURL
	// QR is the QR code of the address, for users who give it to payers.
	Address, QR string
	Amount      string
	Status      view.Badge
	Description string
	Facts       []view.Fact
	// Close and Remove are for users who may close the link, and remove its
	// picture.
	Close, Remove templ.SafeURL
	// Picture is the form for a picture; nil if the user may not send one.
	Picture  *PictureForm
	Payments view.Sheet
}

// PictureForm sets or removes the picture of a link.
type PictureForm struct {
	Action templ.SafeURL
	File   view.Field
	Token  string
	Has    bool
}
