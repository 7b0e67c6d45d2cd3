package view

import (
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"
)

// Sheet is a table whose first column names what a row is about.
type Sheet struct {
	// Label says what is listed.
	Label   string
	Columns []Column
	Rows    [][]Cell
	Empty   Empty
}

// Column heads a column; numbers stand at its right.
type Column struct {
	Text  string
	Right bool
}

// Cell is what stands in a row. A time, a badge or a text, with a note below.
type Cell struct {
	Text string
	Href templ.SafeURL
	At   *time.Time
	// Tone makes it a badge; "plain" is one without a colour.
	Tone string
	// Note stands below, and leads to NoteHref unless that is "".
	Note     string
	NoteHref templ.SafeURL
	// Drawn stands beside the text.
	Drawn templ.Component
}

func (c Cell) blank() bool { return c.Text == "" && c.At == nil && c.Note == "" && c.Drawn == nil }

func (c Cell) tone() string {
	if c.Tone == "plain" {
		return ""
	}
	return c.Tone
}

func (c Column) class(first bool) string {
	switch {
	case first:
		return "lead"
	case c.Right:
		return "right num"
	}
	return ""
}

// MoneyForm asks for what an action is done with.
type MoneyForm struct {
	Action, Text string
	// Get tells that the form leads to a page that asks again.
	Get     bool
	Hidden  [][2]string
	Choices []Choice
	Fields  []Field
	Submit  string
	Back    templ.SafeURL
	Notes   []string
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
