package view

import (
	"time"

	"github.com/a-h/templ"
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
}

func (c Cell) blank() bool { return c.Text == "" && c.At == nil && c.Note == "" }

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

// Money are the actions that move USDT by hand.
type Money struct {
	// Alone says who has to agree.
	Alone string
	Acts  []MoneyAct
	Open  int
}

// MoneyAct leads to the form of an action.
type MoneyAct struct {
	Title, Text string
	Href        templ.SafeURL
}

// Approvals are proposals.
type Approvals struct {
	Tabs  []Tab
	Sheet Sheet
	Pages Pages
	// Alone warns that there is nobody else to approve.
	Alone string
}

// Approval is a proposal, and what the reader may do with it.
type Approval struct {
	Facts          []Fact
	State          Badge
	Path, Token    string
	Approve, Wrong string
	CanApprove     bool
	CanRefuse      bool
	// Why says why the reader cannot approve it.
	Why    string
	Reason string
}

// Accounts are who has what.
type Accounts struct {
	Tabs  []Tab
	Sheet Sheet
	Pages Pages
}

// Incomes are what the platform earned.
type Incomes struct {
	Filters  Filters
	Tabs     []Tab
	Figures  []OverviewFigure
	Sheet    Sheet
	Currency string
}

// Rates are the rates, their feeds, and what waits for a rate.
type Rates struct {
	// Ask asks what a payment would be worth, and Quote answers.
	Ask     MoneyForm
	Quote   Sheet
	May     bool
	Waiting Sheet
	More    string
	Pairs   Sheet
	Charts  []RateChart
	Feeds   Sheet
}

// RateChart is what the feeds of a currency brought in a day.
type RateChart struct {
	Title, Label string
	// Lines are the points of each feed's line, in units of the chart.
	Lines  []RateLine
	Lowest string
	Most   string
	Sheet  Sheet
}

// RateLine is a feed's line, Class its look.
type RateLine struct{ Class, Points string }

func (f MoneyForm) method() string {
	if f.Get {
		return "get"
	}
	return "post"
}
