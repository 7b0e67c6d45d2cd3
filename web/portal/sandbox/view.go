package sandbox

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/view"
)

// Start is the page that a sandbox begins with.
type Start struct {
	APIURL, File string
	Keys         []string
	Users        []StartUser
	Payments     []Trial
	Payouts      []Trial
	Made         []Made
	Tried        StartTry
}

// StartUser is somebody to sign in as, in a portal.
type StartUser struct{ Login, Portal string }

// Trial is something that can be made with a click.
type Trial struct {
	Action                          string
	Cashbox                         int64
	KeyID, Method, Currency, Amount string
}

func (t Trial) field() string {
	return "amount-" + strconv.FormatInt(t.Cashbox, 10) + t.Action[len("/sandbox/"):] + t.Method
}

// StartTry is a trial that was refused, and why.
type StartTry struct {
	Action                string
	Cashbox               int64
	Method, Amount, Wrong string
}

// of reports whether it was this trial.
func (s StartTry) of(t Trial) bool {
	return s.Action == t.Action && s.Cashbox == t.Cashbox && s.Method == t.Method
}

// Made is a payment or payout that was made.
type Made struct {
	Key, Name, Amount, Method, UUID string
	Status                          view.Badge
	At                              time.Time
	// PayerPage is "" for payouts. Message links to the bank's message that
	// pays it, or is "".
	PayerPage string
	Message   templ.SafeURL
	// Trader is the login of the trader who has it, and TraderPage their
	// page about it.
	Trader, TraderPage string
	// Hooks is how many webhooks arrived about it.
	Hooks int
}

func (m Made) signIn() templ.SafeURL { return view.Query("/sandbox/sign-in", "next", m.TraderPage) }

func (m Made) inbox() templ.SafeURL { return view.Query("/sandbox/inbox", "of", m.UUID) }

// Inbox has the webhooks that the sandbox's endpoint received.
type Inbox struct {
	// Of filters by a payment or payout; "" is all.
	Of   string
	List []Delivery
	// Last is the number of the last webhook that was received.
	Last int64
}

func (i Inbox) again() string {
	return string(view.Query("/sandbox/inbox/list", "of", i.Of, "seen", strconv.FormatInt(i.Last, 10)))
}

// Delivery is a webhook that was received.
type Delivery struct {
	ID       int64
	At       time.Time
	Verified bool
	// Type, UUID, Status and Number are what it contains, as far as it can
	// be read.
	Type, UUID, Status string
	Number             int64
	KeyID              string
	Headers            []Header
	Body               string
}

// Header is a header of a request.
type Header struct{ Name, Value string }

// title is the type that a webhook names, cut to a length, because anybody may
// post one.
func (d Delivery) title() string {
	const longest = 80
	switch name := []rune(d.Type); {
	case len(name) == 0:
		return "?"
	case len(name) > longest:
		return string(name[:longest]) + "…"
	}
	return d.Type
}

// badge is the status that a webhook names.
func (d Delivery) badge() view.Badge {
	if strings.HasPrefix(d.Type, "payin.") {
		return view.PayoutBadge(d.Status)
	}
	return view.PaymentBadge(d.Status)
}

// Wallet has what can be sent on the networks of a sandbox, and what was sent.
type Wallet struct {
	Deposits, Withdrawals []Due
	Sent                  []Sent
}

// Due is something that waits for a transfer. Send is "" once it was sent.
type Due struct {
	Name, Amount, Network, Address string
	Send                           templ.SafeURL
}

// Sent is a transfer on a network.
type Sent struct {
	Amount, Network, To, Hash, Confirmations string
	At                                       time.Time
}
