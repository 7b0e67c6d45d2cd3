package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Payouts is a list of payouts.
type Payouts struct {
	Filters Filters
	// About and Sum head the columns that differ by portal. Desk tells that others wait on a desk.
	About, Sum say.Phrase
	Desk       bool
	Items      []PayoutRow
	Empty      Empty
	Pages      Pages
}

// PayoutRow is a payout in a list.
type PayoutRow struct {
	ID                                      int64
	Href                                    templ.SafeURL
	Amount, Method, Mask, Recipient, Beside string
	// Whose is for operators, who see everybody's.
	Whose string
	// USDT is what the trader gets, or the merchant pays.
	USDT      string
	Status    Badge
	CreatedAt time.Time
}

// Payout is everything of one payout.
type Payout struct {
	Offer
	// List is where it is listed.
	List   templ.SafeURL
	Number int64
	// Note says what to know first, and Facts what the reader's side knows of it.
	Note  say.Phrase
	Facts []Fact
	// Curl reads it through the API; "" is not for this user.
	Curl string
	// Cancel leads to where the merchant may cancel it, or is "".
	Cancel templ.SafeURL
	// Acts are what an operator may do, and Claim who of them works on it; nil is for nobody else.
	Acts  []Act
	Claim *Claim
	Then  Moment
	// Proof is what proves that it was paid, Reason why it has its status; both may be "".
	Proof, Reason string
	CreatedAt     time.Time
	TakenAt       *time.Time
	StatusAt      time.Time
	Lines         []Line
}

// PayoutQuestion asks what a trader is about to do with a payout.
type PayoutQuestion struct {
	Payout
	Token string
	// Typed is what was typed, and Wrong what is wrong with it.
	Typed, Wrong string
}

// payoutWords are what a question about a payout says.
type payoutWords struct {
	Step             string
	Title, Text, Yes say.Phrase
	Danger           bool
	Field            Field
}

// asked is the question's field with what was typed into it.
func (w payoutWords) asked(q PayoutQuestion) Field {
	f := w.Field
	f.Value, f.Wrong = q.Typed, q.Wrong
	return f
}
