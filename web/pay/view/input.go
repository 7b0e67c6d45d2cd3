package view

import "github.com/a-h/templ"

// Input is a field of a form, with what is wrong with it beside it.
type Input struct {
	// Name is the field's, and its id in the page.
	Name, Label, Value string
	// Hint says what belongs into it; "" is nothing.
	Hint string
	// Form is how its content looks, shown in it while it is empty; "" is
	// nothing.
	Form string
	// Autocomplete and Mode are the browser's hints: what to fill in, and
	// which keyboard to show; "" gives none.
	Autocomplete, Mode string
	// Format names what the script does for it while it is typed; "" is
	// nothing.
	Format string
	// Longest is how many characters it takes; 0 sets no bound.
	Longest int
	// Marks are the schemes of the cards that are taken, by their names;
	// none shows none.
	Marks []string
	// Wrong are the texts by which the script says what is wrong before the
	// form is sent, by what it calls each mistake.
	Wrong map[string]string
	// Last tells that nothing is filled in after it.
	Last bool
	// Error says what is wrong in words for the payer; "" is nothing.
	Error    string
	Required bool
	// Focus has the page begin here.
	Focus bool
}

// describedBy names what is read out with the field.
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

// enterKey is what the key of a phone's keyboard says that leaves the field.
func (f Input) enterKey() string {
	if f.Last {
		return "done"
	}
	return "next"
}

// capitals is how a phone's keyboard begins: names on cards are in capitals.
func (f Input) capitals() string {
	if f.Mode == "" {
		return "characters"
	}
	return "off"
}

// wrong hands the script its texts.
func (f Input) wrong() templ.Attributes {
	texts := templ.Attributes{}
	for mistake, text := range f.Wrong {
		texts["data-"+mistake] = text
	}
	return texts
}
