package view

import "github.com/a-h/templ"

// Input is a field of a form with its error.
type Input struct {
	// Name is also the field's id in the page.
	Name, Label, Value string
	// Hint explains what to type; "" is none.
	Hint string
	// Form is an example shown in the empty field; "" is none.
	Form string
	// Autocomplete and Mode tell the browser what to fill in and which
	// keyboard to show; "" is no hint.
	Autocomplete, Mode string
	// Format names how the script formats what is typed; "" is not at all.
	Format string
	// Longest is the highest number of characters; 0 is no limit.
	Longest int
	// Marks are the names of the accepted card schemes, to be shown.
	Marks []string
	// Wrong are the script's texts for mistakes, by the script's names of
	// them.
	Wrong map[string]string
	// Last says that it is the last field.
	Last bool
	// Error is the text about a mistake; "" is none.
	Error    string
	Required bool
	// Focus sets the focus to this field.
	Focus bool
}

// describedBy are the ids of the elements that screen readers read with the
// field.
func (f Input) describedBy() string {
	switch {
	case f.Error != "" && f.Hint != "":
		return f.Name + "-error " + f.Name + "-hint"
	case f.Error != "":
		return f.Name + "-error"
	case f.Hint != "":
		return f.Name + "-hint"
	}
	return ""
}

// enterKey is the label of the enter key on a phone's keyboard.
func (f Input) enterKey() string {
	if f.Last {
		return "done"
	}
	return "next"
}

// capitals says how a phone's keyboard capitalises: names on cards are in
// capitals.
func (f Input) capitals() string {
	if f.Mode == "" {
		return "characters"
	}
	return "off"
}

// wrong passes the texts to the script.
func (f Input) wrong() templ.Attributes {
	texts := templ.Attributes{}
	for mistake, text := range f.Wrong {
		texts["data-"+mistake] = text
	}
	return texts
}
