package cases

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/chart"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Work is what waits for operators.
type Work struct {
	Queues []WorkQueue
	// First are the steps to the first payment; none once there is one.
	First []view.FirstStep
	// Home is how the platform stands; nil before the first payment, and where only what waits is asked for.
	Home *Home
}

// Home is how the platform stands.
type Home struct {
	Figures            []view.OverviewFigure
	Paid, Income       chart.Chart
	AnyPaid, AnyIncome bool
}

// WorkQueue is what waits of a kind.
type WorkQueue struct {
	Title say.Phrase
	Count string
	// Oldest is for how long the first one waits; "" is not known.
	Oldest string
	// All leads to the whole list; "" is nowhere.
	All   templ.SafeURL
	Items []WorkItem
}

// WorkItem is something that waits. Href leads to it; "" is nowhere.
type WorkItem struct {
	Name, About, Amount string
	Href                templ.SafeURL
	// Since is when it began to wait; nil is not known.
	Since *time.Time
	// Age is how long ago that is, Taken who works on it; "" is nobody.
	Age, Taken string
}

// Case is everything of something to decide.
type Case struct {
	List      templ.SafeURL
	ListLabel say.Phrase
	Amount    string
	Status    view.Badge
	Claim     *view.Claim
	Acts      []view.Act
	// Links lead to what it is about.
	Links []CaseLink
	Facts []view.Fact
	// At is when it began, which AtLabel names.
	At      time.Time
	AtLabel say.Phrase
	// Wrote is what somebody wrote of it, and File what they sent; both may be missing.
	Wrote string
	File  *view.Receipt
	// Proof is the address of the file where it is a picture; "" shows none.
	Proof string
	// Desk is where it is decided on the page itself; nil is elsewhere, or not for this user now.
	Desk *Desk
	// Fitting is money of no payment that may be what it is about.
	Fitting view.Fitting
	// Thread is what was written with the trader; nil where there is none.
	Thread *view.Thread
	Lines  []view.Line
}

// Desk decides an appeal on its page.
type Desk struct {
	Accept, Refuse Decision
	// Second says that something else is to be done first.
	Second bool
	// Reasoned leads to where it is accepted with a reason.
	Reasoned templ.SafeURL
	// Factor leads to where the second factor is given that deciding takes; "" is given.
	Factor templ.SafeURL
}

// reasons heads the reasons to choose from.
func (d Decision) reasons(s view.Shell) string {
	if d.Danger {
		return s.Say(sayReasonToRefuse)
	}
	return s.Say(say.Reason)
}

// CaseLink leads to what a case is about.
type CaseLink struct {
	Label say.Phrase
	Text  string
	Href  templ.SafeURL
}

// Decision asks whether something shall be decided.
type Decision struct {
	Title say.Phrase
	// Of names what is decided.
	Of    string
	Text  string
	Facts []view.Fact
	// Field asks for something; nil asks for nothing.
	Field *view.Field
	// Also is asked for besides.
	Also *view.Field
	// Prepared are reasons to choose from, and Chosen the one that was.
	Prepared []string
	Chosen   string
	// Status is how it stood when this was shown.
	Action, Token, Status string
	Yes                   string
	Danger                bool
	Back                  templ.SafeURL
}
