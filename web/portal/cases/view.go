package cases

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/chart"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

type Work struct {
	Queues []WorkQueue
	// First are the steps to the first payment; none after it.
	First []view.FirstStep
	// Home is the state of the platform; nil before the first payment, and
	// on a page that shows only what waits.
	Home *Home
}

type Home struct {
	Figures            []view.OverviewFigure
	Paid, Income       chart.Chart
	AnyPaid, AnyIncome bool
}

// WorkQueue is what waits in a queue.
type WorkQueue struct {
	Title say.Phrase
	Count string
	// Oldest is how long the first item has been waiting; "" if that is not
	// known.
	Oldest string
	// All links to the whole list; "" if there is none.
	All   templ.SafeURL
	Items []WorkItem
}

// WorkItem is an item that waits. Href links to it; "" if there is no page.
type WorkItem struct {
	Name, About, Amount string
	Href                templ.SafeURL
	// Since is when it began to wait; nil if that is not known.
	Since *time.Time
	// Age is how long ago that was, and Taken is who works on it; "" is
	// nobody.
	Age, Taken string
}

// Case is the page of a case.
type Case struct {
	List      templ.SafeURL
	ListLabel say.Phrase
	Amount    string
	Status    view.Badge
	Claim     *view.Claim
	Acts      []view.Act
	// Links link to its subjects.
	Links []CaseLink
	Facts []view.Fact
	// At is when it began; AtLabel is the label of that.
	At      time.Time
	AtLabel say.Phrase
	// Wrote is the text that somebody wrote about it, and File is what they
	// sent; both may be missing.
	Wrote string
	File  *view.Receipt
	// Proof is the address of the file if it is a picture, or "".
	Proof string
	// Desk is the form that decides it on the page itself; nil if it is
	// decided elsewhere, or not by this user now.
	Desk *Desk
	// Fitting are free transfers that may belong to it.
	Fitting view.Fitting
	// Thread is the conversation with the trader; nil if there is none.
	Thread *view.Thread
	Lines  []view.Line
}

// Desk is the form that decides an appeal on its page.
type Desk struct {
	Accept, Refuse Decision
	// Second says that something else should be done first.
	Second bool
	// Reasoned links to where it is accepted with a reason.
	Reasoned templ.SafeURL
	// Factor links to where the second factor is given that deciding
	// requires; "" if it was given.
	Factor templ.SafeURL
}

// reasons is the heading of the reasons to choose from.
func (d Decision) reasons(s view.Shell) string {
	if d.Danger {
		return s.Say(sayReasonToRefuse)
	}
	return s.Say(say.Reason)
}

// CaseLink links to a subject of a case.
type CaseLink struct {
	Label say.Phrase
	Text  string
	Href  templ.SafeURL
}

// Decision asks for confirmation of a decision.
type Decision struct {
	Title say.Phrase
	// Of names what is decided.
	Of    string
	Text  string
	Facts []view.Fact
	// Field asks for a text; it may be nil.
	Field *view.Field
	// Also is a further field.
	Also *view.Field
	// Prepared are reasons to choose from, and Chosen is the chosen one.
	Prepared []string
	Chosen   string
	// Seen is how the case stood when this was shown.
	Action, Token, Seen string
	Yes                 string
	Danger              bool
	Back                templ.SafeURL
}
