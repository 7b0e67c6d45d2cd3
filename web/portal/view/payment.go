package view

import (
	"time"

	"github.com/a-h/templ"

	"gateway.example/web/portal/say"
)

// Payments is a list of payments.
type Payments struct {
	Filters Filters
	Items   []PaymentRow
	Empty   Empty
	Pages   Pages
}

// PaymentRow is a payment in a list.
type PaymentRow struct {
	ID             int64
	Amount, Method string
	Requisite      Requisite
	// Card is the last digits of the card entered, USDT what the merchant gets; both may be "".
	Card, USDT string
	Status     Badge
	CreatedAt  time.Time
}

func (r PaymentRow) href() templ.SafeURL { return templ.SafeURL("/trader/payments/" + number(r.ID)) }

// Payment is everything of one payment.
type Payment struct {
	Job
	UUID, Status string
	CreatedAt    time.Time
	// StatusAt is when it got its status, Reason why.
	StatusAt time.Time
	Reason   string
	// MerchantGets and YouKeep are "" before there is a rate.
	MerchantGets, YouKeep string
	Files                 []Receipt
	Lines                 []Line
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
}

// phase tells whether there is something to say of a card checkout.
func (p Payment) phase() say.Phrase {
	if !p.open() {
		return say.Phrase{}
	}
	return p.Phase
}
