// Package trigger makes an event happen in a sandbox, to try a shop with it. It
// uses the same services as everything else, so that status, money and webhook
// are real.
package trigger

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/google/uuid"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/clock"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
)

// events are the events that can be triggered. Each function makes it happen to
// the payment or payout with the uuid, or to a new one for uuid.Nil.
var events = map[string]func(*Service, context.Context, uuid.UUID) (Happened, error){
	"payment.completed":   (*Service).completePayment,
	"payment.failed":      (*Service).failPayment,
	"payment.code_resend": (*Service).resendCode,
	"payin.completed":     (*Service).completePayout,
}

// shortNames are other names of events.
var shortNames = map[string]string{"code_resend": "payment.code_resend"}

// Messages about an unknown event or id.
const (
	wrongEvent = "must be payment.completed, payment.failed, payment.code_resend or payin.completed"
	noPayment  = "must be the uuid of a payment"
	noPayout   = "must be the uuid of a payout"
)

// Services are the services that make events.
type Services struct {
	Payments  *payment.Service
	Payouts   *payout.Service
	Checkouts *checkout.Service
	Links     *auth.Links
	Clock     clock.Clock
	// Merchant is the caller with a key of the sandbox for a cashbox of the
	// currency.
	Merchant func(ctx context.Context, currency string) (caller.Caller, error)
	// Traders are the ids of the sandbox's traders.
	Traders []int64
	// Hook is the address for webhooks of new payments and payouts.
	Hook string
}

type Service struct{ Services }

func New(services Services) *Service { return &Service{Services: services} }

// Happened is what was done.
type Happened struct {
	Event string
	// ID is the uuid of the payment or payout.
	ID uuid.UUID
	// PaymentID is the payment's integer id; 0 for a payout.
	PaymentID int64
	OrderID   string
	Status    string
}

// Trigger makes an event happen to the payment or payout with the uuid, or to a
// new one if id is "".
func (s *Service) Trigger(ctx context.Context, event, id string) (Happened, error) {
	if name, short := shortNames[event]; short {
		event = name
	}
	happen, known := events[event]
	f := fault.Decoded(ctx)
	if f.Required("event", event) {
		f.Check(known, "event", wrongEvent)
	}
	var parsed uuid.UUID
	if id != "" {
		var err error
		parsed, err = uuid.Parse(id)
		f.Check(err == nil && parsed != uuid.Nil && len(id) == len(parsed.String()), "id", "must be a uuid")
	}
	if err := f.Err(); err != nil {
		return Happened{}, err
	}
	happened, err := happen(s, ctx, parsed)
	happened.Event = event
	return happened, err
}

// asTrader is an owner at a trader.
func asTrader(id int64) caller.Caller {
	return caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: id}
}

// newOrder is an order id that nobody has used.
func newOrder() string { return "trigger-" + strings.ToLower(rand.Text()[:12]) }

// unknownID is the error for an id that names nothing.
func unknownID(err error, wanted string) error {
	if errors.Is(err, fault.ErrNotFound) {
		return fault.Fields{"id": {wanted}}.Err()
	}
	return err
}
