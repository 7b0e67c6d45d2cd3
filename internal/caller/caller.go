// Package caller describes who makes a call: what they have proved to be, and
// what that allows. Every method of a service takes a Caller.
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

// Kind is the kind of a caller, as they have proved it.
type Kind string

// The kinds of callers. The API shows the kinds of tokens under these names.
const (
	Anyone         Kind = "anyone"
	MerchantKey    Kind = "merchant_key"
	Application    Kind = "application"
	Cabinet        Kind = "cabinet"
	MerchantPortal Kind = "merchant_portal"
	Trader         Kind = "trader"
	Operator       Kind = "operator"
	// Device is a trader's phone that forwards messages of banks.
	Device Kind = "device"
	// Link is a merchant's payment link: whoever opens it has a payment
	// made for them.
	Link Kind = "link"
)

// Scopes of a merchant key.
const (
	ScopePayments = "payments"
	ScopeDeposits = "deposits"
	ScopePayouts  = "payouts"
	// ScopeWithdrawals lets a program have USDT leave for addresses of the
	// merchant's book.
	ScopeWithdrawals = "withdrawals"
)

// Scopes are all scopes of a merchant key.
var Scopes = []string{ScopePayments, ScopeDeposits, ScopePayouts, ScopeWithdrawals}

// Caller is who makes a call. The services decide by it what they may do.
type Caller struct {
	Kind Kind
	// ID is the id of the key or user.
	ID    int64
	Login string
	// Role is the role of a user. Without one, only payers may do anything.
	Role Role
	// ViewAs says that an operator looks at the portal as this user and may
	// change nothing. Behind is the operator's id.
	ViewAs bool
	Behind int64
	// Stale says that a browser user's last second factor is too old for
	// what needs a fresh one.
	Stale bool
	// Factorless says that the user has no second factor although their
	// capabilities need one.
	Factorless bool
	// AwaitsUntil is set for a user whom an operator let in and whom no
	// owner of their merchant or trader has accepted yet: until then they
	// may only read.
	AwaitsUntil time.Time
	// MerchantID is zero for a legacy key without a merchant, and for kinds
	// that have none.
	MerchantID int64
	TraderID   int64
	// MerchantIDs are the merchants whose payments a cabinet user may look
	// for their own in.
	MerchantIDs []int64

	// CashboxID is the default cashbox of a key, or nil.
	CashboxID *int64
	Scopes    []string
	// APIEnabled and RatePercent are settings of the key's merchant.
	APIEnabled  bool
	RatePercent decimal.NullDecimal

	// RequestID and Address are those of the request; "" if there was none.
	RequestID, Address string
}

// Actor is the caller's name in histories and logs. If an operator views the
// portal as somebody else, it names the operator, too.
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

// Knows returns an actor as the caller may see them. Operators see everything,
// merchants which of their own keys or users it was, and traders only whether
// it was they themselves. Of all others merchants and traders see the kind.
func (c Caller) Knows(actor string) string {
	kind, _, numbered := strings.Cut(actor, ":")
	merchants := kind == "key" || kind == string(MerchantPortal) || kind == string(Link)
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

// NeedMerchant checks, before the request itself is looked at, that the caller
// is a merchant's key or link, that the merchant's API is switched on, and
// that the key has the scope. An empty scope is not checked.
func (c Caller) NeedMerchant(scope string) error {
	switch {
	case c.Kind != MerchantKey && c.Kind != Link:
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

// Admit does what Need does, and then refuses a request whose decoding found
// something wrong.
func (c Caller) Admit(ctx context.Context, wanted ...Capability) error {
	if err := c.Need(wanted...); err != nil {
		return err
	}
	return fault.Decoded(ctx).Err()
}

type key struct{}

// With returns a context with the caller.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// From returns the caller of a context, or an anonymous one if it has none.
func From(ctx context.Context) Caller {
	c, ok := ctx.Value(key{}).(Caller)
	if !ok {
		return Caller{Kind: Anyone}
	}
	return c
}
