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

// Line is a line of a timeline, in words. Kind is its CSS class.
type Line struct {
	At    time.Time
	Kind  string
	Text  string
	Notes []string
	// Actor is who did it, or "".
	Actor string
	Code  []Code
	// Event links to the webhook of the line, whose name is EventName; ""
	// if the user may not see it.
	Event     templ.SafeURL
	EventName string
}

// Claim shows who works on something.
type Claim struct {
	// Path is the address of the page; Text says who works on it.
	Path, Text string
	// May says that the reader may work on it, Mine that they do, and
	// Others that somebody else does.
	May, Mine, Others bool
}

// Arrival is a transfer that has arrived.
type Arrival struct {
	ID                           int64
	Amount, Payer, Note, Message string
	CameAt                       time.Time
	State                        say.Phrase
	// Off says that its amount differs from the missing amount.
	Off bool
	// Payout links to the payout that returns it; "" if there is none.
	Payout templ.SafeURL
}

// Fitting are free transfers that may belong to a payment.
type Fitting struct {
	Items []Arrival
	// Action is the address where one is attached, and Token makes that
	// happen only once.
	Action, Token string
	// May says that the reader may attach one, and Leads that this is the
	// first thing to do on the page.
	May, Leads bool
}

// Act links to a decision.
type Act struct {
	Label  say.Phrase
	Href   templ.SafeURL
	Danger bool
}

// Href is an address below that of the page.
func (c Claim) Href(below string) templ.SafeURL { return templ.SafeURL(c.Path + below) }

// Fact is a known fact about the subject of a page. Without a value it is not
// shown.
type Fact struct {
	Label        say.Phrase
	Value, Class string
	// Href links to the page about it, or is "".
	Href templ.SafeURL
	// At is a time that is shown in place of the value.
	At *time.Time
}

// Moment is the moment at which something is shown, and the form that asks for
// it. At is zero for now.
type Moment struct {
	Path, Typed, Wrong string
	At                 time.Time
}

// Field is the field for the minute.
func (m Moment) Field() Field {
	f := Field{Name: "at", Label: say.AsOf, Value: m.Typed, Wrong: m.Wrong, Type: "datetime-local", Quiet: true}
	if f.Wrong != "" { // a time field would show nothing for an invalid time
		f.Type = "text"
	}
	return f
}

// Code is what was sent to a program, or its answer.
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

type Job struct {
	ID int64
	// Seen is how it stands, as its form says it.
	Seen           string
	Amount, Method string
	Requisite      Requisite
	// Phase is the phase of a card checkout, and Card the last digits of
	// its card; both may be empty.
	Phase     say.Phrase
	Card      string
	ExpiresAt time.Time
	ClaimedAt *time.Time
	Receipts  int
	// Fits says that a free transfer has exactly the missing amount.
	Fits bool
	// Messages are the waiting messages of banks that can be about it.
	Messages []JobMessage
	Steps    []Step
}

// JobMessage is a message of a bank that can be about an open payment.
type JobMessage struct {
	ID         int64
	At         time.Time
	Bank, Text string
}

// Href is the address of the payment's page.
func (j Job) Href() string { return "/trader/payments/" + strconv.FormatInt(j.ID, 10) }

type Requisite struct{ Value, Bank, Holder string }

// Step is a step that a trader can take for a payment. Asks says that a page
// asks for confirmation first.
type Step struct {
	Label           say.Phrase
	Href            string
	Asks            bool
	Primary, Danger bool
	Key             string
}

// StepOf is the step with a name.
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

// Offer is a payout as its trader sees it.
type Offer struct {
	// Path is the address of its page.
	Path                                                         string
	ID, Amount, Method, Address, Recipient, Bank, Reward, Status string
	// Earns is the reward in short form. Returns says in its place that the
	// payout returns what came, which earns nothing.
	Earns     string
	Returns   string
	ExpiresAt time.Time
	MayWork   bool
}

// Href is the address of the payout's page.
func (o Offer) Href() string { return o.Path }
