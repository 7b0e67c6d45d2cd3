package paylink

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// Reasons why a link makes no payment.
var (
	// ErrEnded says that the link was closed, or that its time is over.
	ErrEnded = errors.New("the link takes no payments any more")
	// ErrUsedUp says that the link has as many payments as it may have.
	ErrUsedUp = errors.New("as many payments came of the link as may")
	// ErrCrowded says that as many of its payments wait for money as may at
	// a time.
	ErrCrowded = errors.New("as many payments of the link wait for money as may")
)

// maxOpen is how many payments of a link may wait for money at a time. A link
// is public, and each of them holds a trader's USDT and one of the places that
// its merchant's payments have.
const maxOpen = 100

// making is how long a payment that is being made keeps its place. If the call
// was cut off, the place is free after that.
const making = time.Minute

// Open is a link as its payers see it.
type Open struct {
	Terms
	Currency string
	// Ways are the methods to choose from. There are none while the cashbox
	// takes no payments.
	Ways []string
	// Ended tells that the link takes no payments any more.
	Ended bool
	// UsedUp tells that the link has as many payments as it may have. A
	// payer who holds one of them is led to it.
	UsedUp bool
	// who is the caller in whose name its payments are made.
	who caller.Caller
}

// Open finds the link of an address by its token.
func (s *Service) Open(ctx context.Context, token string) (Open, error) {
	id, proof, err := auth.SplitLink(token)
	if err != nil {
		return Open{}, fault.ErrNotFound
	}
	row, err := s.q.PaymentLinkOpen(ctx, id)
	switch {
	case db.NoRows(err):
		return Open{}, fault.ErrNotFound
	case err != nil:
		return Open{}, fmt.Errorf("find a payment link: %w", err)
	case !hmac.Equal(proof, row.PaymentLink.Proof) && !s.tokens.Proves(id, proof):
		return Open{}, fault.ErrNotFound
	}
	if err := s.settings.Current(ctx); err != nil {
		return Open{}, err
	}
	l := row.PaymentLink
	ways := slices.DeleteFunc(s.settings.Methods(l.CashboxID), func(name string) bool {
		return len(l.Methods) > 0 && !slices.Contains(l.Methods, name)
	})
	now := s.clock.Now()
	full := false
	if l.MaxPayments != nil {
		if full, err = usedUp(ctx, s.q, Terms(l), *l.MaxPayments, now, "", ""); err != nil {
			return Open{}, err
		}
	}
	return Open{
		Terms: Terms(l), Currency: row.Currency, Ways: ways, Ended: stateAt(l.ClosedAt, l.EndsAt, now) != Taking, UsedUp: full,
		who: caller.Caller{
			Kind: caller.Link, ID: l.ID, MerchantID: l.MerchantID, CashboxID: &l.CashboxID, APIEnabled: row.ApiEnabled,
			RatePercent: row.RatePercent, Scopes: []string{caller.ScopePayments},
		},
	}, nil
}

// Order is what a payer asks for.
type Order struct {
	Amount, Method string
	// Attempt identifies the form, which may be sent twice.
	Attempt string
	// Held is the attempt that made the payer's last payment; "" if none is
	// known.
	Held string
	// Address is where the payer comes from, and RequestID names the
	// request.
	Address, RequestID string
}

const (
	maxAttempt = 64
	// maxAgain is how many payments a form makes after its first. Then it
	// leads to the last of them.
	maxAgain = 20
)

// NewAttempt makes an identifier for a new form.
func NewAttempt() string { return strings.ToLower(rand.Text()) }

// attemptAfter is the attempt of a form that made this payment and is sent for
// another one.
func attemptAfter(attempt string, made payment.Payment, amount decimal.Decimal, method string) string {
	return hashOf(fmt.Sprintf("%s %s %s %s", attempt, made.UUID, amount, method))
}

// hashOf is a name that does not tell what it is made of.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:maxAttempt/4])
}

// Made is the payment of a payer, and the attempt that made it, by which they
// find back to it.
type Made struct {
	payment.Payment
	Attempt string
}

// Pay makes a payment by a link. It is idempotent: a form that is sent again
// leads to the payment that it made.
func (s *Service) Pay(ctx context.Context, l Open, o Order) (Made, error) {
	f := fault.Decoded(ctx)
	if l.Amount.Valid {
		o.Amount = l.Amount.Decimal.String()
	}
	asked := amount(f, "amount", o.Amount)
	f.Check(asked.Valid || f.Wrong("amount"), "amount", "is required")
	if !f.Wrong("amount") {
		f.Check(!l.MinAmount.Valid || !asked.Decimal.LessThan(l.MinAmount.Decimal), "amount", "is less than the least")
		f.Check(!l.MaxAmount.Valid || !asked.Decimal.GreaterThan(l.MaxAmount.Decimal), "amount", "is more than the most")
	}
	o.Method = cmp.Or(o.Method, only(l.Ways))
	f.Check(slices.Contains(l.Ways, o.Method), "method", "is required")
	if err := f.Err(); err != nil {
		return Made{}, err
	}
	if len(o.Attempt) > maxAttempt || fault.NameFlaw(o.Attempt) != "" || o.Attempt == "" {
		o.Attempt = NewAttempt()
	}
	shown := o.Attempt
	made, err := s.pay(ctx, l, o)
	for tries := 0; tries < maxAgain && err == nil && made.Replay && (len(made.Mismatch) > 0 || made.Payment.Status != payment.Pending); tries++ {
		// The payer came back to the form for another payment. Sent
		// twice, the form has to make one.
		o.Attempt = attemptAfter(o.Attempt, made.Payment, asked.Decimal, o.Method)
		made, err = s.pay(ctx, l, o)
	}
	if errors.Is(err, ErrUsedUp) || errors.Is(err, ErrCrowded) { // perhaps by this payer, who has gone back and chosen something else
		if held, found := s.Held(ctx, l, shown, o.Held); !errors.Is(found, fault.ErrNotFound) {
			return held, found
		}
	}
	return Made{made.Payment, o.Attempt}, err
}

// Held is the payment of a link that was made by one of these attempts and
// still waits for money.
func (s *Service) Held(ctx context.Context, l Open, attempts ...string) (Made, error) {
	attemptOf := map[string]string{}
	for _, attempt := range attempts {
		attemptOf[orderOf(l.ID, attempt)] = attempt
	}
	id, err := s.q.LinkPaymentHeld(ctx, db.LinkPaymentHeldParams{
		MerchantID: l.MerchantID, LinkID: l.ID, OrderIds: slices.Collect(maps.Keys(attemptOf)),
	})
	switch {
	case db.NoRows(err):
		return Made{}, fault.ErrNotFound
	case err != nil:
		return Made{}, fmt.Errorf("find the payment that a payer holds: %w", err)
	}
	held, err := s.payments.ByUUID(ctx, id)
	return Made{held, attemptOf[held.OrderID]}, err
}

// only is the single way, or "" if there is not exactly one.
func only(ways []string) string {
	if len(ways) == 1 {
		return ways[0]
	}
	return ""
}

// orderPrefix begins the order ids of all payments by links.
const orderPrefix = "link-"

// orderOf is the order id of an attempt. It does not tell the attempt: whoever
// knows that is the payer, and many others see the order id.
func orderOf(linkID int64, attempt string) string {
	return orderPrefix + strconv.FormatInt(linkID, 10) + "-" + hashOf(attempt)
}

// OfOrder is the id of the link that an order id names, or 0 if it names none.
// A merchant may give orders of their own such an id, so the result alone
// proves nothing.
func OfOrder(orderID string) int64 {
	rest, _ := strings.CutPrefix(orderID, orderPrefix)
	number, _, _ := strings.Cut(rest, "-")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || rest == orderID {
		return 0
	}
	return id
}

// pay takes a place of the link and makes the payment. If none was made of the
// form, it gives the place back.
func (s *Service) pay(ctx context.Context, l Open, o Order) (payment.Created, error) {
	orderID := orderOf(l.ID, o.Attempt)
	if err := s.take(ctx, l, orderID, o.Method); err != nil {
		return payment.Created{}, err
	}
	who := l.who
	who.Address, who.RequestID = o.Address, o.RequestID
	made, err := s.payments.Create(ctx, who, payment.Request{
		OrderID: orderID, Amount: o.Amount, Currency: l.Currency, CallbackURI: l.CallbackURI, FeedOnly: l.CallbackURI == "",
		Method: &o.Method, Description: &l.Title, ReturnURL: l.ReturnURL,
	})
	switch f := fault.As(err); {
	case f != nil && f.Kind != fault.Unavailable: // this call made none, that is known
		dropped := s.q.LinkPaymentDrop(ctx, db.LinkPaymentDropParams{
			MerchantID: l.MerchantID, LinkID: l.ID, OrderID: orderID, Method: o.Method,
		})
		return made, errors.Join(err, dropped)
	case err != nil || made.Replay:
		return made, err
	}
	// The same form, sent at the same time and refused, has perhaps given
	// the place back before the payment was there.
	return made, begin(ctx, s.q, l, orderID, o.Method, made.Payment.CreatedAt)
}

// begin gives a place of the link to a payment, or renews it.
func begin(ctx context.Context, q *db.Queries, l Open, orderID, method string, now time.Time) error {
	return q.LinkPaymentBegin(ctx, db.LinkPaymentBeginParams{
		MerchantID: l.MerchantID, LinkID: l.ID, OrderID: orderID, Method: method, CreatedAt: now,
	})
}

// take takes one of the link's places, if it has any left.
func (s *Service) take(ctx context.Context, l Open, orderID, method string) error {
	now := s.clock.Now()
	return db.InTx(ctx, s.pools.Calls, func(_ pgx.Tx, q *db.Queries) error {
		held, err := q.PaymentLinkLock(ctx, l.ID)
		if err != nil {
			return fmt.Errorf("lock a payment link: %w", err)
		}
		if stateAt(held.ClosedAt, held.EndsAt, now) != Taking {
			return ErrEnded
		}
		if held.MaxPayments != nil {
			full, err := usedUp(ctx, q, l.Terms, *held.MaxPayments, now, orderID, method)
			if err != nil {
				return err
			}
			if full {
				return ErrUsedUp
			}
		}
		open, err := q.LinkPaymentsOpen(ctx, db.LinkPaymentsOpenParams{
			MerchantID: l.MerchantID, LinkID: l.ID, OrderID: orderID, Method: method, Since: now.Add(-making),
		})
		if err != nil {
			return fmt.Errorf("count a link's open payments: %w", err)
		}
		if open >= maxOpen {
			return ErrCrowded
		}
		return begin(ctx, q, l, orderID, method, now)
	})
}

// usedUp tells whether all places of a link are taken by payments other than
// the one named.
func usedUp(ctx context.Context, q *db.Queries, l Terms, places int32, now time.Time, orderID, method string) (bool, error) {
	taken, err := placesTaken(ctx, q, db.LinkPlacesTakenParams{
		MerchantIds: []int64{l.MerchantID}, LinkIds: []int64{l.ID}, OrderID: orderID, Method: method, Since: now.Add(-making),
	})
	return err == nil && taken[l.ID] >= int64(places), err
}
