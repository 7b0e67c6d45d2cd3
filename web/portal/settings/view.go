package settings

import (
	"slices"

	"github.com/a-h/templ"

	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Directory is a list of one kind of those who take part, or of what belongs to one of them.
type Directory struct {
	Title say.Phrase
	// Path is the list's. Without one it is part of a page, and is not searched.
	Path, Search string
	Hint         say.Phrase
	// Keep are parameters that the form sends along, and Picks lead to parts of the list.
	Keep  [][2]string
	Picks []view.Pick
	// Chips are what else it is kept to.
	Chips []view.Chip
	Wrong string
	// New leads to where one is made; "" is not for this user.
	New      templ.SafeURL
	NewLabel say.Phrase
	Columns  []view.Column
	Rows     [][]view.Cell
	// Text says what the columns mean; empty says nothing.
	Text say.Phrase
	None say.Phrase
	// Owner leads to those whom one of this list belongs to; an empty list says that it takes one.
	Owner      templ.SafeURL
	OwnerLabel say.Phrase
	OwnerText  say.Phrase
	Pages      view.Pages
	// All leads to the whole list, of which this is the beginning.
	All templ.SafeURL
}

// empty says of an empty list what makes it one no longer.
func (d Directory) empty() view.Empty {
	switch {
	case d.None != sayNobodyYet:
		return view.Empty{Title: d.None}
	case d.Path != "" && d.Owner != "":
		return view.Empty{Title: d.None, Text: d.OwnerText, Href: d.Owner, Label: d.OwnerLabel}
	case d.New != "":
		return view.Empty{Title: d.None, Href: d.New, Label: d.NewLabel}
	}
	return view.Empty{Title: d.None}
}

// number is a cell that stands at the right.
func number(text string) view.Cell { return view.Cell{Text: text, Class: "num"} }

// row adds one, to which its first cell leads.
func (d *Directory) row(href string, cells ...view.Cell) {
	cells[0].Href = templ.SafeURL(href)
	d.Rows = append(d.Rows, cells)
}

var notSetYet = view.Badge{Text: sayNotSetYet, Tone: "off"}

// Subject is a page of one of those who take part: what is known and set of it, and how that changed.
type Subject struct {
	// Crumbs lead to what it belongs to.
	Crumbs []Crumb
	State  view.Badge
	Facts  []view.Fact
	Form   ChangeForm
	// Hint goes with the facts.
	Hint say.Phrase
	// Notices say what is wrong beside the fields, or that somebody else was faster.
	Notices []string
	// Links lead to pages about it, Steps to questions whether something shall be done.
	Links []SubjectStep
	// First are the steps to the first payment; none once there is one.
	First  []view.FirstStep
	ViewAs string
	Lists  []Directory
	// History is nil where nothing can have changed yet.
	History []view.LogRow
	Older   templ.SafeURL
	Past    bool
}

// Crumb leads to a page above.
type Crumb struct {
	Text string
	Href templ.SafeURL
}

// SubjectStep is a button of a page: a link, or a form that is posted at once.
type SubjectStep struct {
	Label  say.Phrase
	Href   templ.SafeURL
	Posts  bool
	Danger bool
}

// numberFact is the number by which logs and programs know a subject.
func numberFact(id int64) view.Fact {
	return view.Fact{Label: say.Number, Value: portal.IDText(id), Class: "num"}
}

// ChangeForm are settings as a form, or as facts to those who may not change them.
type ChangeForm struct {
	Title say.Phrase
	Text  say.Phrase
	// Action is where it is posted to; "" only shows the settings.
	Action, Token, Version string
	Inputs                 []Input
	Save                   say.Phrase
	Back                   templ.SafeURL
	// File tells that a file may be sent with it.
	File bool
}

// Input is a field of settings. With options it is chosen from them, one or several.
type Input struct {
	view.Field
	Options []view.Option
	// Several of the options are on, or without options the field itself is.
	Several []string
	Tick    bool
	On      bool
	// Shown is the value as those see it who may not change it.
	Shown string
}

func (i Input) has(value string) bool { return slices.Contains(i.Several, value) }

func (i Input) choice() view.Choice {
	return view.Choice{Name: i.Name, Label: i.Label, Value: i.Value, Options: i.Options, Wrong: i.Wrong}
}

func (f ChangeForm) enctype() string {
	if f.File {
		return "multipart/form-data"
	}
	return "application/x-www-form-urlencoded"
}
