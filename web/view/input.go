package view

// Input is a field of a form, with what is wrong with it beside it.
type Input struct {
	// Name is the field's, and its id in the page.
	Name, Label, Value string
	// Autocomplete and Mode are the browser's hints: what to fill in, and which keyboard to show; "" gives none.
	Autocomplete, Mode string
	// Error says what is wrong in words for the payer; "" is nothing.
	Error    string
	Required bool
}
