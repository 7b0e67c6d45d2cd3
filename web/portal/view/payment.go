package view

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

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

// Claim is who works on something.
type Claim struct {
	// Path is the page of what it is about; Text says who works on it.
	Path, Text string
	// May tells that the reader may work on it, Mine that they do, Others that somebody else does.
	May, Mine, Others bool
}

// Arrival is money that came.
type Arrival struct {
	ID                           int64
	Amount, Payer, Note, Message string
	CameAt                       time.Time
	State                        say.Phrase
	// Off says that it is another amount than is missing.
	Off bool
	// Payout leads to the payout that returns it; "" is none.
	Payout templ.SafeURL
}

// Fitting is money of no payment that may be one's.
type Fitting struct {
	Items []Arrival
	// Action is where it is made so, and Token has that be done once.
	Action, Token string
	// May says that the reader may, and Leads that it is the first thing to do on the page.
	May, Leads bool
}

// Act leads to a decision.
type Act struct {
	Label  say.Phrase
	Href   templ.SafeURL
	Danger bool
}

// Href is an address below that of the case.
func (c Claim) Href(below string) templ.SafeURL { return templ.SafeURL(c.Path + below) }

// Fact is something that is known of what a page is about. Without a value it is not shown.
type Fact struct {
	Label        say.Phrase
	Value, Class string
	// Href leads to the page about it; "" is none.
	Href templ.SafeURL
	// At is a time in place of the value.
	At *time.Time
}

// Moment is when something is looked at, as asked for. At is zero for now.
type Moment struct {
	Path, Typed, Wrong string
	At                 time.Time
}

// Field asks for the minute.
func (m Moment) Field() Field {
	f := Field{Name: "at", Label: say.AsOf, Value: m.Typed, Wrong: m.Wrong, Type: "datetime-local", Quiet: true}
	if f.Wrong != "" { // a field for times shows nothing that is none
		f.Type = "text"
	}
	return f
}

// Code is what was sent to a program, or what it said.
type Code struct {
	Title say.Phrase
	Text  string
}

func DepositBadge(status string) Badge {
	tones := map[string]string{"confirmed": "good", "rejected": "bad"}
	return Badge{say.DepositStatus(status), tones[status]}
}

func AppealBadge(status string) Badge {
	tones := map[string]string{"in_review": "late", "completed": "good", "failed": "bad", "closed": "off"}
	return Badge{say.AppealStatus(status), tones[status]}
}

// Job is an open payment.
type Job struct {
	ID             int64
	Amount, Method string
	Requisite      Requisite
	// Phase is where a card checkout stands, and Card the last digits of its card; both may be "".
	Phase     say.Phrase
	Card      string
	ExpiresAt time.Time
	ClaimedAt *time.Time
	Receipts  int
	// Fits says that money of no payment came in its amount.
	Fits bool
	// Messages are those of banks that wait and can be about it.
	Messages []JobMessage
	Steps    []Step
}

// JobMessage is a message of a bank that can be about an open payment.
type JobMessage struct {
	ID         int64
	At         time.Time
	Bank, Text string
}

// Href is the payment's page.
func (j Job) Href() string { return "/trader/payments/" + strconv.FormatInt(j.ID, 10) }

// Requisite is where money is sent.
type Requisite struct{ Value, Bank, Holder string }

// Step is something a trader may do about a payment. Asks tells that a page comes first which says
// what is about to be done.
type Step struct {
	Label           say.Phrase
	Href            string
	Asks            bool
	Primary, Danger bool
	Key             string
}

// StepOf is a step by its name.
func StepOf(id int64, name string) Step {
	path := "/trader/payments/" + strconv.FormatInt(id, 10)
	switch name {
	case "confirm":
		return Step{Label: say.ConfirmAct, Href: path + "/confirm", Asks: true, Primary: true, Key: "c"}
	case "cancel":
		return Step{Label: say.CancelAct, Href: path + "/cancel", Asks: true, Danger: true}
	case "request_code":
		return Step{Label: say.RequestCodeAct, Href: path + "/code"}
	case "resend":
		return Step{Label: say.ResendAct, Href: path + "/resend"}
	}
	return Step{Label: say.NoCodeAct, Href: path + "/no-code"}
}

// Offer is a payout as a trader sees it.
type Offer struct {
	// Path is where it is shown.
	Path                                                         string
	ID, Amount, Method, Address, Recipient, Bank, Reward, Status string
	// Earns is the reward in short.
	Earns     string
	ExpiresAt time.Time
	MayWork   bool
}

// Href is the payout's page.
func (o Offer) Href() string { return o.Path }
