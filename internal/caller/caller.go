// Package caller is who makes a call: what they proved to be, and what they may do by that. Every
// method of a service takes it.
package caller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/fault"
)

// Kind is what a caller proved to be.
type Kind string

// The kinds of callers. Those of tokens bear the names the API shows.
const (
	Anyone         Kind = "anyone"
	MerchantKey    Kind = "merchant_key"
	Application    Kind = "application"
	Cabinet        Kind = "cabinet"
	MerchantPortal Kind = "merchant_portal"
	Trader         Kind = "trader"
	Operator       Kind = "operator"
)

// Scopes of a merchant key.
const (
	ScopePayments = "payments"
	ScopeDeposits = "deposits"
	ScopePayouts  = "payouts"
)

// Caller is who makes a call. Every method of a service takes it and decides by it.
type Caller struct {
	Kind Kind
	// ID is the key's or the user's.
	ID    int64
	Login string
	// Role is a user's. A user without one, who is not a payer, may do nothing.
	Role Role
	// ViewAs tells that an operator looks at the portal as this user: nothing may be changed. Behind
	// is that operator's id.
	ViewAs bool
	Behind int64
	// Stale tells that the user signed in through the browser, and that their last second factor is
	// too old for what needs a fresh one.
	Stale bool
	// Factorless tells that the user has no second factor, where what reaches far asks for one.
	Factorless bool
	// AwaitsUntil is until when the user only looks, because an operator let them in and no owner of their merchant or
	// trader has accepted them; zero is that they do not wait.
	AwaitsUntil time.Time
	// MerchantID is zero for a legacy key that is bound to no merchant, and for kinds without one.
	MerchantID int64
	TraderID   int64
	// MerchantIDs are the merchants among whose payments a cabinet user finds their own.
	MerchantIDs []int64

	// CashboxID is a key's default cashbox, or nil.
	CashboxID *int64
	Scopes    []string
	// APIEnabled and RatePercent are settings of the key's merchant.
	APIEnabled  bool
	RatePercent decimal.NullDecimal

	// RequestID and Address are of the request by which the call came; "" where it came by none.
	RequestID, Address string
}

// Actor names the caller in histories and logs, and who looks as them.
func (c Caller) Actor() string {
	if c.ViewAs {
		c.ViewAs = false
		return fmt.Sprintf("%s:%d as %s", Operator, c.Behind, c.Actor())
	}
	switch c.Kind {
	case Application, Anyone:
		return string(c.Kind)
	case MerchantKey:
		return fmt.Sprintf("key:%d", c.ID)
	default:
		return fmt.Sprintf("%s:%d", c.Kind, c.ID)
	}
}

// Knows is an actor as the caller may know them. A merchant knows its keys and users one by one, a
// trader's user themselves, an operator everybody. Of all others they know what they are.
func (c Caller) Knows(actor string) string {
	kind, _, numbered := strings.Cut(actor, ":")
	merchants := kind == "key" || kind == string(MerchantPortal)
	switch {
	case !numbered, c.Kind == Operator, c.Kind == MerchantPortal && merchants:
		return actor
	case c.Kind == Trader && actor == c.Actor():
		return actor
	case merchants:
		return "merchant"
	}
	return kind
}

// Faults of merchant callers.
var errAPIDisabled = fault.New(fault.Forbidden, "merchant_api_disabled", "The merchant's external API is switched off.")

// NeedMerchant settles what a merchant key may do before anything of the request is looked at: it
// is bound to a merchant, whose API is on, and has the scope. An empty scope asks for none.
func (c Caller) NeedMerchant(scope string) error {
	switch {
	case c.Kind != MerchantKey:
		return fault.ErrTokenKindNotAllowed
	case c.MerchantID == 0:
		return fault.ErrBindingRequired
	case !c.APIEnabled:
		return errAPIDisabled
	case scope != "" && !slices.Contains(c.Scopes, scope):
		return fault.ErrScopeRequired
	}
	return nil
}

type key struct{}

// With returns a context that carries the caller from the door to the handler.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// From returns the caller the door let in; without one, it is anyone.
func From(ctx context.Context) Caller {
	c, ok := ctx.Value(key{}).(Caller)
	if !ok {
		return Caller{Kind: Anyone}
	}
	return c
}
