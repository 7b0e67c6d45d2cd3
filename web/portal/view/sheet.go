package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"gateway.example/web/portal/say"
)

// Sheet is a table whose first column names what a row is about.
type Sheet struct {
	// Label says what is listed.
	Label   string
	Columns []Column
	Rows    [][]Cell
	Empty   Empty
}

// List is a sheet of what filters keep to. Text says what is to be known of it.
type List struct {
	Filters Filters
	Text    say.Phrase
	Sheet   Sheet
	Pages   Pages
	// Below leads elsewhere; nil is nothing.
	Below templ.Component
}

// Column heads a column; numbers stand at its right. Sum is the amount that a row is about: on a phone it leads the row, with the
// time beside it.
type Column struct {
	Text       string
	Right, Sum bool
	// Whole tells that its texts are short, and stay on one line; Bare, that they need no label.
	Whole, Bare bool
	// Sort is how its head sorts the list.
	Sort Sorting
}

// Cell is what stands in a row. A time, a badge or a text, with a note below.
type Cell struct {
	Text string
	Href templ.SafeURL
	At   *time.Time
	// Tone makes it a badge; "plain" is one without a colour.
	Tone string
	// Beside stands beside the text, in a quieter ink.
	Beside string
	// Note stands below, and leads to NoteHref unless that is "".
	Note     string
	NoteHref templ.SafeURL
	// Drawn stands beside the text.
	Drawn templ.Component
	// Class is how it stands where the column does not say.
	Class string
	// By is what it is sorted by where its text is no number; nil is its text.
	By *float64
}

// BadgeCell is a cell with a badge, which is the state of what the row is about.
func (s Shell) BadgeCell(b Badge) Cell {
	return Cell{Text: s.Say(b.Text), Tone: cmp.Or(b.Tone, "plain"), Class: "state"}
}

func (c Cell) blank() bool { return c.Text+c.Beside+c.Note == "" && c.At == nil && c.Drawn == nil }

func (c Cell) tone() string {
	if c.Tone == "plain" {
		return ""
	}
	return c.Tone
}

// class is how a cell of a row stands. What only names itself, as a state does, needs no label.
func (t Sheet) class(row []Cell, i int) (class string, labelled bool) {
	summed := slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Sum })
	cell, column := row[i], t.Columns[i]
	labelled = !cell.blank() && !column.Bare
	switch {
	case i == 0:
		return "lead title", false
	case cell.Class == "state" || cell.Tone != "" && i == len(row)-1:
		return "state", false
	case cell.Class != "":
		return cell.Class, labelled
	case column.Sum:
		return "sum right num", false
	case cell.At != nil && cell.Note == "" && summed:
		return "at", false
	case column.Right:
		return "right num", labelled
	case column.Whole:
		return "whole", labelled
	}
	return "", labelled
}

// MoneyForm asks for what an action is done with.
type MoneyForm struct {
	Action, Text string
	// Get tells that the form leads to a page that asks again.
	Get     bool
	Hidden  [][2]string
	Choices []Choice
	Ticks   Ticks
	Fields  []Field
	Submit  string
	// Danger tells that it hurts somebody.
	Danger bool
	Back   templ.SafeURL
	Notes  []string
}

func (f MoneyForm) method() string {
	if f.Get {
		return "get"
	}
	return "post"
}

// OverviewFigure is a number. Href leads to what is counted; "" leads nowhere.
type OverviewFigure struct {
	Label, Now string
	// Exact is the number with all decimals, where Now has fewer; Unit stands beside it.
	Exact, Unit string
	// By is how it has changed, and Before what is said of that below; "" is nothing.
	By     Delta
	Before string
	Href   templ.SafeURL
	// Spark is how it went; nil is not shown.
	Spark templ.Component
}

// Delta is a change in words. Tone tells whether it is good; "" is neither.
type Delta struct{ Text, Tone string }

// Rounded is an amount of USDT with two decimals, whose others show on hover and focus.
func (s Shell) Rounded(label string, amount decimal.Decimal) OverviewFigure {
	return OverviewFigure{Label: label, Now: s.Short(amount), Exact: s.Figure(amount), Unit: "USDT"}
}

// Pick is a filter that can be chosen.
type Pick struct {
	Text    string
	Href    templ.SafeURL
	Current bool
}

// Tab is one of several pages, of which one is shown.
type Tab struct {
	Text    string
	Href    templ.SafeURL
	Current bool
}
