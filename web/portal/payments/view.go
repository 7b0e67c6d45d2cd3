package payments

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Payment is everything of one payment.
type Payment struct {
	view.Job
	UUID, Status string
	CreatedAt    time.Time
	// StatusAt is when it got its status, Reason why.
	StatusAt time.Time
	Reason   string
	// List is where it is listed.
	List templ.SafeURL
	// Facts are what the reader's side knows of it, Noted what the merchant noted.
	Facts, Noted []view.Fact
	// RequisitePage leads to the requisite, which RequisiteName names, and Choice to how it was chosen;
	// all are "" to those who have no such pages.
	RequisiteName         string
	RequisitePage, Choice templ.SafeURL
	// Block leads to the form that blocks the payer; "" is not for this user.
	Block templ.SafeURL
	// Rate is what it is worth step by step, for operators.
	Rate view.Sheet
	// Appeal leads to where it may be appealed, Appealed to its appeal.
	Appeal, Appealed templ.SafeURL
	// Proof is the proof that what it moved is in the ledger.
	Proof templ.SafeURL
	// File leads to the timeline as a signed file, Print to the one for paper; "" is not for this user.
	File, Print templ.SafeURL
	// Curl reads it through the API; "" is not for this user.
	Curl  string
	Then  view.Moment
	Files []view.Receipt
	Lines []view.Line
	// Came is what came otherwise than it was asked for.
	Came Came
}

// Came is what came of a payment otherwise than it was asked for, and what may be done about it.
type Came struct {
	// Came is all of it and Missing what is not there yet; both may be "".
	Asked, Came, Missing string
	// Open says that somebody has to decide, until EndsAt.
	Open      bool
	EndsAt    time.Time
	Items     []view.Arrival
	Decisions []CaseStep
	// NoReturn is the currency in which nothing is paid out, so that what came cannot go back; "" is none.
	NoReturn string
	// Claim is who of the operators works on it; nil is not for this user, or nothing to work on.
	Claim *view.Claim
	// Fitting is money of no payment that may be this one's.
	Fitting view.Fitting
}

// CaseStep leads to a decision.
type CaseStep struct {
	Href  templ.SafeURL
	Label say.Phrase
}

// CaseQuestion asks whether something shall be decided of what came.
type CaseQuestion struct {
	Path, Token, Decision, Came string
	Words                       decisionWords
	Facts                       Came
	Methods                     []view.Option
	Typed                       url.Values
	Wrong                       map[string]string
}

func (p Payment) open() bool { return p.Status == "pending" }

// since is what its time is that is not open: an appeal is undecided still.
func (p Payment) since() say.Phrase {
	if p.Status == "appeal" {
		return sayAppealSince
	}
	return sayEnded
}

// phase tells whether there is something to say of a card checkout.
func (p Payment) phase() say.Phrase {
	if !p.open() {
		return say.Phrase{}
	}
	return p.Phase
}

// Payout is everything of one payout.
type Payout struct {
	view.Offer
	// List is where it is listed.
	List   templ.SafeURL
	Number int64
	// Note says what to know first, Facts what the reader's side knows of it, and Noted what the merchant noted.
	Note         say.Phrase
	Facts, Noted []view.Fact
	// Curl reads it through the API; "" is not for this user.
	Curl string
	// Cancel leads to where the merchant may cancel it, or is "".
	Cancel templ.SafeURL
	// Acts are what an operator may do, and Claim who of them works on it; nil is for nobody else.
	Acts  []view.Act
	Claim *view.Claim
	Then  view.Moment
	// Proof is what proves that it was paid, Reason why it has its status; both may be "".
	Proof, Reason string
	// File shows it; nil was not sent. Picture is its address where it is shown on the page.
	File      *view.Receipt
	Picture   string
	CreatedAt time.Time
	TakenAt   *time.Time
	StatusAt  time.Time
	Lines     []view.Line
}

// PayoutQuestion asks what a trader is about to do with a payout.
type PayoutQuestion struct {
	Payout
	Token string
	// Typed is what was typed, and Wrong what is wrong with it.
	Typed, Wrong string
	// WrongFile is what is wrong with the file that was sent.
	WrongFile string
}

// payoutWords are what a question about a payout says.
type payoutWords struct {
	Step             string
	Title, Text, Yes say.Phrase
	Danger           bool
	Field            view.Field
}

// asked is the question's field with what was typed into it.
func (w payoutWords) asked(q PayoutQuestion) view.Field {
	f := w.Field
	f.Value, f.Wrong = q.Typed, q.Wrong
	return f
}

// file is the field for what shows that a payout was paid. Telephones have one for their camera besides.
func (q PayoutQuestion) file(s view.Shell) view.Field {
	return view.Field{
		Name: "file", Label: sayProofFile, Hint: s.Say(sayProofFileHint), Wrong: q.WrongFile, Type: view.TypeFile,
		Optional: true, More: templ.Attributes{"accept": "image/jpeg,image/png,image/webp,application/pdf"},
	}
}

// Printed is what happened to a payment, for paper.
type Printed struct {
	UUID, OrderID string
	Lines         []view.Line
	// Back leads to the payment, File to the same as a signed file.
	Back, File templ.SafeURL
}
