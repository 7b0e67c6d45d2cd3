package payments

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Payment is the page of a payment.
type Payment struct {
	view.Job
	UUID, Status string
	CreatedAt    time.Time
	// StatusAt is since when it has its status, and Reason is why.
	StatusAt time.Time
	Reason   string
	// List is the address of the list.
	List templ.SafeURL
	// Facts are the facts for the reader's kind of user, and Noted is the
	// merchant's metadata.
	Facts, Noted []view.Fact
	// RequisitePage links to the requisite with the name RequisiteName, and
	// Choice to how it was chosen; all are "" for users without such pages.
	RequisiteName         string
	RequisitePage, Choice templ.SafeURL
	// Block links to the form that blocks the payer; "" if the user may
	// not.
	Block templ.SafeURL
	// Rate explains its calculation step by step, for operators.
	Rate view.Sheet
	// Appeal links to where it may be appealed, and Appealed to its appeal.
	Appeal, Appealed templ.SafeURL
	// Proof links to the proof that its transfers are in the ledger.
	Proof templ.SafeURL
	// File links to the timeline as a signed file, and Print to the one for
	// paper; "" if the user may not have it.
	File, Print templ.SafeURL
	// Curl reads it through the API; "" if that is of no use to the user.
	Curl  string
	Then  view.Moment
	Files []view.Receipt
	Lines []view.Line
	// Came is what arrived in another amount or in parts.
	Came Came
}

// Came is what arrived for a payment in another amount or in parts, and what
// may be done about it.
type Came struct {
	// Came is the sum that arrived and Missing the rest; both may be "".
	Asked, Came, Missing string
	// Open says that somebody has to decide, before EndsAt unless it is
	// zero.
	Open      bool
	EndsAt    time.Time
	Items     []view.Arrival
	Decisions []CaseStep
	// NoReturn is a currency without payouts, in which the money cannot be
	// returned, or "".
	NoReturn string
	// Claim shows which operator works on it; nil if there is nothing to
	// work on, or not for this user.
	Claim *view.Claim
	// Fitting are free transfers that may belong to the payment.
	Fitting view.Fitting
}

// CaseStep links to a decision.
type CaseStep struct {
	Href  templ.SafeURL
	Label say.Phrase
}

// CaseQuestion asks for confirmation of a decision.
type CaseQuestion struct {
	Path, Token, Decision, Came string
	// Seen is what came as the form sends it back: what is decided is
	// decided about that amount.
	Seen    string
	Words   decisionWords
	Facts   Came
	Methods []view.Option
	Typed   url.Values
	Wrong   map[string]string
}

func (p Payment) open() bool { return p.Status == "pending" }

// since is the label of the time of the payment's status; a payment in appeal
// is not decided yet.
func (p Payment) since() say.Phrase {
	if p.Status == "appeal" {
		return sayAppealSince
	}
	return sayEnded
}

// phase is the phase of a card checkout, or empty.
func (p Payment) phase() say.Phrase {
	if !p.open() {
		return say.Phrase{}
	}
	return p.Phase
}

// Payout is the page of a payout.
type Payout struct {
	view.Offer
	// List is the address of the list.
	List   templ.SafeURL
	Number int64
	// Note is what to know first, Facts are the facts for the reader's kind
	// of user, and Noted is the merchant's metadata.
	Note         say.Phrase
	Facts, Noted []view.Fact
	// Curl reads it through the API; "" if that is of no use to the user.
	Curl string
	// Cancel links to where the merchant may cancel it, or is "".
	Cancel templ.SafeURL
	// Acts are what an operator may do, and Claim shows which operator
	// works on it; both are nil for other users.
	Acts  []view.Act
	Claim *view.Claim
	Then  view.Moment
	// Proof is the reference that proves that it was paid, and Reason is
	// why it has its status; both may be "".
	Proof, Reason string
	// File is the file that proves it; nil if none was sent. Picture is its
	// address if it is shown on the page.
	File      *view.Receipt
	Picture   string
	CreatedAt time.Time
	TakenAt   *time.Time
	StatusAt  time.Time
	Lines     []view.Line
}

// PayoutQuestion asks for confirmation of a step of a payout.
type PayoutQuestion struct {
	Payout
	Token string
	// Typed is what was typed, and Wrong is the mistake in it.
	Typed, Wrong string
	// WrongFile is the mistake in the file that was sent.
	WrongFile string
}

// failText tells what becomes of the money of a payout that cannot be paid.
func (q PayoutQuestion) failText() say.Phrase {
	if q.Returns != "" {
		return sayFailReturnText
	}
	return sayFailText
}

// payoutWords are the texts of a question about a payout.
type payoutWords struct {
	Step             string
	Title, Text, Yes say.Phrase
	Danger           bool
	Field            view.Field
}

// asked is the question's field with what was typed.
func (w payoutWords) asked(q PayoutQuestion) view.Field {
	f := w.Field
	f.Value, f.Wrong = q.Typed, q.Wrong
	return f
}

// file is the field for the proof of a payout. Phones get another field for
// their camera.
func (q PayoutQuestion) file(s view.Shell) view.Field {
	return view.Field{
		Name: "file", Label: sayProofFile, Hint: s.Say(sayProofFileHint), Wrong: q.WrongFile, Type: view.TypeFile,
		Optional: true, More: templ.Attributes{"accept": "image/jpeg,image/png,image/webp,application/pdf"},
	}
}

// Printed is the timeline of a payment for paper.
type Printed struct {
	UUID, OrderID string
	Lines         []view.Line
	// Back links to the payment, and File to the signed file of the same.
	Back, File templ.SafeURL
}
