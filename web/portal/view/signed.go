package view

import "github.com/a-h/templ"

// Printed is what happened to a payment, for paper.
type Printed struct {
	UUID, OrderID string
	Lines         []Line
	// Back leads to the payment, File to the same as a signed file.
	Back, File templ.SafeURL
}
