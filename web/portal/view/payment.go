package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Payments is a list of payments.
type Payments struct {
	Filters Filters
	// About and Sum head the columns that differ by portal.
	About, Sum say.Phrase
	Items      []PaymentRow
	Empty      Empty
	Pages      Pages
}

// PaymentRow is a payment in a list.
type PaymentRow struct {
	ID             int64
	Href           templ.SafeURL
	Amount, Method string
	// About and Beside tell the reader what the payment is about, the first in figures.
	About, Beside string
	// Whose is for operators, who see everybody's.
	Whose string
	// Card is the last digits of the card entered, USDT what the merchant gets; both may be "".
	Card, USDT string
	Status     Badge
	CreatedAt  time.Time
}

// Payment is everything of one payment.
type Payment struct {
	Job
	UUID, Status string
	CreatedAt    time.Time
	// StatusAt is when it got its status, Reason why.
	StatusAt time.Time
	Reason   string
	// List is where it is listed.
	List templ.SafeURL
	// Facts are what the reader's side knows of it.
	Facts []Fact
	// RequisitePage leads to the requisite, which RequisiteName names, and Choice to how it was chosen;
	// all are "" to those who have no such pages.
	RequisiteName         string
	RequisitePage, Choice templ.SafeURL
	// Rate is what it is worth step by step, for operators.
	Rate Sheet
	// Appeal leads to where it may be appealed, Appealed to its appeal.
	Appeal, Appealed templ.SafeURL
	// Proof is the proof that what it moved is in the ledger.
	Proof templ.SafeURL
	// File leads to the timeline as a signed file, Print to the one for paper; "" is not for this user.
	File, Print templ.SafeURL
	// Curl reads it through the API; "" is not for this user.
	Curl  string
	Then  Moment
	Files []Receipt
	Lines []Line
}

func (p Payment) open() bool { return p.Status == "pending" }

// Receipt is a file that a payer sent.
type Receipt struct {
	Number   int32
	Name     string
	About    string
	SentAt   time.Time
	Download templ.SafeURL
}

// Line is one line of a timeline, in words. Kind is its class.
type Line struct {
	At    time.Time
	Kind  string
	Text  string
	Notes []string
	// Actor is who did it; "" is nobody in particular.
	Actor string
	Code  []Code
	// Event leads to the webhook that it is about, which EventName names; "" is none for this user.
	Event     templ.SafeURL
	EventName string
}

// phase tells whether there is something to say of a card checkout.
func (p Payment) phase() say.Phrase {
	if !p.open() {
		return say.Phrase{}
	}
	return p.Phase
}
