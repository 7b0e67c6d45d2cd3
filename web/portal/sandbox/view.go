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

// StartTry is what was asked for and was refused, and why.
type StartTry struct {
	Action                string
	Cashbox               int64
	Method, Amount, Wrong string
}

// of tells that it was this that was asked for.
func (s StartTry) of(t Trial) bool {
	return s.Action == t.Action && s.Cashbox == t.Cashbox && s.Method == t.Method
}

// Made is a payment or payout that was made.
type Made struct {
	Key, Name, Amount, Method, UUID string
	Status                          view.Badge
	At                              time.Time
	// PayerPage is "" for payouts. Message leads to the bank's message by which it is paid, or is "".
	PayerPage string
	Message   templ.SafeURL
	// Trader is the login of who answers for it, and TraderPage their page of it.
	Trader, TraderPage string
	// Hooks is how many webhooks came about it.
	Hooks int
}

func (m Made) signIn() templ.SafeURL { return view.Query("/sandbox/sign-in", "next", m.TraderPage) }

func (m Made) inbox() templ.SafeURL { return view.Query("/sandbox/inbox", "of", m.UUID) }

// Inbox is what came to the sandbox's endpoint.
type Inbox struct {
	// Of keeps to those about one payment or payout; "" is all.
	Of   string
	List []Delivery
	// Last is the number of the last that came.
	Last int64
}

func (i Inbox) again() string {
	return string(view.Query("/sandbox/inbox/list", "of", i.Of, "seen", strconv.FormatInt(i.Last, 10)))
}

// Delivery is a webhook that came.
type Delivery struct {
	ID       int64
	At       time.Time
	Verified bool
	// Type, UUID, Status and Number are what it tells of, as far as it can be read.
	Type, UUID, Status string
	Number             int64
	KeyID              string
	Headers            []Header
	Body               string
}

// Header is a line of a request.
type Header struct{ Name, Value string }

// title is what a webhook calls itself, shortened: anybody may post one.
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

// badge is the status that a webhook tells of.
func (d Delivery) badge() view.Badge {
	if strings.HasPrefix(d.Type, "payin.") {
		return view.PayoutBadge(d.Status)
	}
	return view.PaymentBadge(d.Status)
}

// Wallet is what can be sent on the networks of a sandbox, and what was.
type Wallet struct {
	Deposits, Withdrawals []Due
	Sent                  []Sent
}

// Due is what waits for a transfer. Send is "" once it was sent.
type Due struct {
	Name, Amount, Network, Address string
	Send                           templ.SafeURL
}

// Sent is a transfer on a network, as the page shows it.
type Sent struct {
	Amount, Network, To, Hash, Confirmations string
	At                                       time.Time
}
