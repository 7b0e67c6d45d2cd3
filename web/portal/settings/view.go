package settings

import (
	"slices"

	"github.com/a-h/templ"

	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Directory is a list of one kind of participants, or of what belongs to one of
// them.
type Directory struct {
	Title say.Phrase
	// Path is the address of the list. Without it the list is part of a
	// page and cannot be searched.
	Path, Search string
	Hint         say.Phrase
	// Keep are parameters that the form sends along, and Picks link to
	// parts of the list.
	Keep  [][2]string
	Picks []view.Pick
	// Chips are the other filters that apply.
	Chips []view.Chip
	Wrong string
	// New links to where an item is made; "" if the user may not.
	New      templ.SafeURL
	NewLabel say.Phrase
	Columns  []view.Column
	Rows     [][]view.Cell
	// Text explains the columns; it may be empty.
	Text say.Phrase
	None say.Phrase
	// Owner links to the owners without whom there can be no items; an
	// empty list says so.
	Owner      templ.SafeURL
	OwnerLabel say.Phrase
	OwnerText  say.Phrase
	Pages      view.Pages
	// All links to the whole list, of which this is the beginning.
	All templ.SafeURL
}

// empty is what an empty list shows: how to make the first item.
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

// number is a cell that is aligned to the right.
func number(text string) view.Cell { return view.Cell{Text: text, Class: "num"} }

// row adds an item, to which its first cell links.
func (d *Directory) row(href string, cells ...view.Cell) {
	cells[0].Href = templ.SafeURL(href)
	d.Rows = append(d.Rows, cells)
}

var notSetYet = view.Badge{Text: sayNotSetYet, Tone: "off"}

// Subject is the page of a participant: what is known of it, its settings, and
// how those have changed.
type Subject struct {
	// Crumbs link to the pages above.
	Crumbs []Crumb
	State  view.Badge
	Facts  []view.Fact
	Form   ChangeForm
	// Hint explains the facts.
	Hint say.Phrase
	// Notices are mistakes that belong to no field, or say that somebody
	// else was faster.
	Notices []string
	// Links link to pages about it, and Steps to pages that ask for
	// confirmation of a step.
	Links []SubjectStep
	// First are the steps to the first payment; none after it.
	First  []view.FirstStep
	ViewAs string
	Lists  []Directory
	// History is nil if nothing can have changed yet.
	History []view.LogRow
	Older   templ.SafeURL
	Past    bool
}

// Crumb links to a page above.
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

// numberFact is the number by which logs and programs identify a subject.
func numberFact(id int64) view.Fact {
	return view.Fact{Label: say.Number, Value: portal.IDText(id), Class: "num"}
}

// ChangeForm has settings as a form, or as facts for users who may not change
// them.
type ChangeForm struct {
	Title say.Phrase
	Text  say.Phrase
	// Action is the address of the form; "" only shows the settings.
	Action, Token, Version string
	Inputs                 []Input
	Save                   say.Phrase
	Back                   templ.SafeURL
	// File says that a file may be sent with it.
	File bool
}

// Input is a field for a setting. With options, one or several of them are
// chosen.
type Input struct {
	view.Field
	Options []view.Option
	// Several are the options that are on; without options the field itself
	// is on if it has any.
	Several []string
	Tick    bool
	On      bool
	// Shown is the value for users who may not change it.
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
