package checkout_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a checkout over a database of its own, with one merchant who takes
// quasi_ecom, one trader with a desk, and the sandbox's acquirer behind a line
// that can be cut.
type bundle struct {
	*dbtest.DB
	clock     *dbtest.Clock
	payments  *payment.Service
	checkouts *checkout.Service
	links     *auth.Links
	line      *line
	merchant  dbtest.Merchant
	trader    dbtest.Trader
}

// line is the way to an acquirer. It can be cut before a call arrives, or
// before its answer does.
type line struct {
	acquirer.Acquirer
	cutBefore, cutAfter atomic.Bool
	// declines has every card declined at once.
	declines atomic.Bool
	// voids, where it is set, is what a void is answered with; it does
	// nothing then.
	voids atomic.Pointer[acquirer.Answer]
	// approves, where it is set, has a card approved once it is closed,
	// whatever became of it at the sandbox's acquirer meanwhile.
	approves atomic.Pointer[chan struct{}]
}

var errCut = errors.New("the line is cut")

func (l *line) For(context.Context, int64) (acquirer.Acquirer, int64, error) { return l, 0, nil }

func (l *line) Began(context.Context, int64) (acquirer.Acquirer, error) { return l, nil }

func (l *line) over(answer func() (acquirer.Answer, error)) (acquirer.Answer, error) {
	if l.cutBefore.Load() {
		return acquirer.Answer{}, errCut
	}
	got, err := answer()
	if l.cutAfter.Load() {
		return acquirer.Answer{}, errCut
	}
	return got, err
}

func (l *line) Authorize(
	ctx context.Context, a acquirer.Attempt, c card.Card, cvv acquirer.CVV,
) (acquirer.Answer, error) {
	if l.declines.Load() {
		return acquirer.Answer{State: acquirer.Declined, Reason: acquirer.CardDeclined}, nil
	}
	if late := l.approves.Load(); late != nil {
		if _, err := l.Acquirer.Authorize(ctx, a, c, cvv); err != nil {
			return acquirer.Answer{}, err
		}
		<-*late
		return acquirer.Answer{State: acquirer.Approved}, nil
	}
	return l.over(func() (acquirer.Answer, error) { return l.Acquirer.Authorize(ctx, a, c, cvv) })
}

func (l *line) SubmitCode(ctx context.Context, id uuid.UUID, n int32, code acquirer.Code) (acquirer.Answer, error) {
	return l.over(func() (acquirer.Answer, error) { return l.Acquirer.SubmitCode(ctx, id, n, code) })
}

func (l *line) Void(ctx context.Context, id uuid.UUID) (acquirer.Answer, error) {
	if answer := l.voids.Load(); answer != nil {
		return *answer, nil
	}
	return l.Acquirer.Void(ctx, id)
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	b.SetRate(t, "AZN", "2", true)
	b.SetRate(t, "RUB", "100", true)
	b.merchant = b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{"quasi_ecom", "c2c"}})
	b.trader = b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Currency: "AZN", Method: "quasi_ecom", Requisites: 2})
	b.start(t)
	return b
}

// bystander is another payment of the merchant, with another trader, whose card
// waits for a code after another was approved. No test is about it: it stays as
// it is.
func (b *bundle) bystander(t *testing.T) {
	t.Helper()
	b.Exec(t, "update trader set enabled = false")
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Currency: "AZN", Method: "quasi_ecom", Requisites: 1})
	p, token := b.create(t, "")
	b.enter(t, token, panCode)
	b.later(t, 0)
	b.Exec(t, "update trader set enabled = id <> $1", trader.ID)
	b.Exec(t, `insert into card_attempt (merchant_id, id, payment_id, trader_id, acquirer_id, status, created_at, progress_at, poll_at)
		select merchant_id, gen_random_uuid(), payment_id, trader_id, acquirer_id, 'approved', created_at, progress_at, poll_at from card_attempt`)
	b.Exec(t, "update card_attempt set poll_at = $1, progress_at = $1", dbtest.Start.Add(1<<20*time.Hour))
	b.Exec(t, "update payment set expires_at = $1", dbtest.Start.Add(1<<20*time.Hour))
	b.Stays(t, `select concat(p, (select jsonb_agg(a) from card_attempt a where a.payment_id = p.id),
		(select jsonb_agg(c) from checkout c where c.payment_id = p.id)) from payment p where id = $1`, p.ID)
}

// start wires services over the database, as a start of the program does.
func (b *bundle) start(t *testing.T) {
	t.Helper()
	key := []byte("a key of exactly 32 bytes, no mo")
	v := testenv.Must(vault.New(key))(t)
	safe := card.NewSafe(v, key)
	b.links = testenv.Must(auth.NewLinks(key))(t)
	limits := limit.New(b.Pool)
	testenv.NoError(t, limits.Load(t.Context()))
	// It asks for changes whenever a payment is made, so that a test may
	// set what it likes in between.
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	b.payments = testenv.Must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings, payment.Config{
		Requisites: dbtest.Requisites(), ExternalSecret: true, Cards: safe, CardMoved: checkout.OnStatusChange,
	}))(t)
	b.line = &line{Acquirer: acquirer.NewSandbox(b.Pool, b.clock)}
	b.checkouts = checkout.New(b.Pools(), b.clock, checkout.Services{
		Payments: b.payments, Links: b.links, Cards: safe, Acquirers: b.line, Limits: limits,
	})
}

var orders atomic.Int64

// create makes a payment of 10 AZN and returns it with its link's token.
func (b *bundle) create(t *testing.T, userID string) (payment.Payment, string) {
	t.Helper()
	return b.createFor(t, b.merchant, "quasi_ecom", "AZN", userID)
}

func (b *bundle) createFor(t *testing.T, m dbtest.Merchant, method, currency, userID string) (payment.Payment, string) {
	t.Helper()
	r := payment.Request{
		OrderID: fmt.Sprintf("order-%d", orders.Add(1)), Amount: "10", Currency: currency, Method: &method,
		CallbackURI: "https://shop.example/hook",
	}
	if userID != "" {
		r.Payer = &payment.Payer{UserID: &userID}
	}
	created := testenv.Must(b.payments.Create(t.Context(), m.Caller, r))(t)
	return created.Payment, b.links.Token(created.Payment.UUID)
}

// Cards of the sandbox.
const (
	panApproved = "4242424242424242"
	panCode     = "4000002500003155"
	panDeclined = "4000000000000002"
	panNoFunds  = "4000000000009995"
	panDesk     = "4111111111111111"
)

func typed(pan string) checkout.Details {
	return checkout.Details{
		Entry: card.Entry{PAN: pan, ExpMonth: "12", ExpYear: "2030", Holder: "ANNA B"}, CVV: "123",
		Address: "192.0.2.1",
	}
}

func (b *bundle) enter(t *testing.T, token, pan string) checkout.View {
	t.Helper()
	return testenv.Must(b.checkouts.SubmitDetails(t.Context(), token, typed(pan)))(t)
}

// pay enters a card that the acquirer approves.
func (b *bundle) pay(t *testing.T, token string) {
	t.Helper()
	b.tried(t, token, panApproved)
	b.want(t, token, bank, "completed", "")
}

// tried enters a card, and has the acquirer answer.
func (b *bundle) tried(t *testing.T, token, pan string) {
	t.Helper()
	b.enter(t, token, pan)
	b.later(t, time.Second)
}

// enterKept enters a card that may be kept for the payer's next payment.
func (b *bundle) enterKept(t *testing.T, token, pan string) {
	t.Helper()
	kept := typed(pan)
	kept.Keep = true
	testenv.Must(b.checkouts.SubmitDetails(t.Context(), token, kept))(t)
}

// tries sets how many cards may be tried for a payment.
func (b *bundle) tries(t *testing.T, cards int) {
	t.Helper()
	b.Exec(t, "update cashbox_method set cards = $1 where cashbox_id = $2 and method = 'quasi_ecom'", cards,
		b.merchant.CashboxID)
}

// later lets time pass and the acquirer be asked.
func (b *bundle) later(t *testing.T, by time.Duration) {
	t.Helper()
	b.clock.Advance(by)
	testenv.NoError(t, b.checkouts.Poll(t.Context()))
}

// want wants a checkout to stand so.
func (b *bundle) want(t *testing.T, token string, phase checkout.Phase, status, lastError string) {
	t.Helper()
	v := testenv.Must(b.checkouts.Get(t.Context(), token))(t)
	last := ""
	if v.LastError != nil {
		last = *v.LastError
	}
	testenv.Check(t, v.Phase == phase && string(v.Payment.Status) == status && last == lastError,
		"%s, %s, %q; want %s, %s, %q", v.Phase, v.Payment.Status, last, phase, status, lastError)
}

// charges counts the attempts that stand so, here and in the acquirer's book.
func (b *bundle) charges(t *testing.T, so string) int {
	t.Helper()
	return b.Count(t, "select count(*) from card_attempt a join sandbox_acquirer s on s.attempt_id = a.id where "+so)
}

// wantConflicts wants so many attempts that an operator has to look into.
func (b *bundle) wantConflicts(t *testing.T, want int64, when string) {
	t.Helper()
	testenv.Want(t, testenv.Must(b.checkouts.OpenConflicts(t.Context()))(t), want, "conflicts: %s", when)
}

func (b *bundle) set(t *testing.T, p payment.Payment, status string) {
	t.Helper()
	_, _, err := b.payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, p.ID,
		payment.Update{Status: status})
	testenv.NoError(t, err)
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Code == code, "%s: %v, want %s", what, err, code)
}
