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
	// Foot has the totals; it may be nil.
	Foot  []Cell
	Empty Empty
}

// List is a sheet with filters. Text explains it.
type List struct {
	Filters Filters
	Text    say.Phrase
	Sheet   Sheet
	Pages   Pages
	// Below is shown below the sheet; it may be nil.
	Below templ.Component
}

// Column is the head of a column. Numbers are aligned to the right. Sum marks
// the amount of a row: on a phone it comes first in the row, next to the time.
type Column struct {
	Text       string
	Right, Sum bool
	// Whole says that its texts are short and stay on one line, and Bare
	// that they need no label.
	Whole, Bare bool
	// Sort is how its head sorts the list.
	Sort Sorting
}

// Cell is a cell of a row. It has a time, a badge or a text, and may have a
// note below.
type Cell struct {
	Text string
	Href templ.SafeURL
	At   *time.Time
	// Tone makes it a badge; "plain" is one without a colour.
	Tone string
	// Beside is shown next to the text, less prominently.
	Beside string
	// Note is shown below, and links to NoteHref unless that is "".
	Note     string
	NoteHref templ.SafeURL
	// Drawn is shown next to the text.
	Drawn templ.Component
	// Class is its CSS class if the column sets none.
	Class string
	// By is the number by which it is sorted; nil if it is sorted by its
	// text.
	By *float64
}

// BadgeCell is a cell with a badge for the status of the row's subject.
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

// class is the CSS class of a cell. A cell that explains itself, such as a
// status, needs no label.
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

// MoneyForm is the form of an action.
type MoneyForm struct {
	Action, Text string
	// Get says that the form leads to a page that asks for confirmation.
	Get     bool
	Hidden  [][2]string
	Choices []Choice
	Ticks   Ticks
	Fields  []Field
	// Folded are fields that few fill in, under a heading that unfolds
	// them.
	Folded  []Field
	Heading string
	Submit  string
	// Danger says that the action has serious effects for somebody.
	Danger bool
	Back   templ.SafeURL
	Notes  []string
}

// unfolded reports whether a folded field holds something to see.
func (f MoneyForm) unfolded() bool {
	return slices.ContainsFunc(f.Folded, func(one Field) bool { return one.Value+one.Wrong != "" })
}

func (f MoneyForm) method() string {
	if f.Get {
		return "get"
	}
	return "post"
}

// OverviewFigure is a number. Href links to what is counted; "" if there is no
// page.
type OverviewFigure struct {
	Label, Now string
	// Exact is the number with all decimals, if Now has fewer; Unit is
	// shown next to it.
	Exact, Unit string
	// By is the change, and Before is the text about it below; both may be
	// empty.
	By     Delta
	Before string
	Href   templ.SafeURL
	// Spark is a small chart of how it went; it may be nil.
	Spark templ.Component
}

// Delta is a change in words. Tone says whether it is good; "" is neither.
type Delta struct{ Text, Tone string }

// Rounded is an amount of USDT with two decimals; the others are shown on hover
// and focus.
func (s Shell) Rounded(label string, amount decimal.Decimal) OverviewFigure {
	return OverviewFigure{Label: label, Now: s.Short(amount), Exact: s.Figure(amount), Unit: "USDT"}
}

// Pick is a filter to choose.
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
