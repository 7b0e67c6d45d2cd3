package simulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/simulator"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a merchant whose payments by sbp go to the requisites of a trader,
// and who simulates the trader.
type bundle struct {
	*dbtest.DB
	clock     *dbtest.Clock
	payments  *payment.Service
	simulator *simulator.Service
	shop      dbtest.Merchant
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}}
	b.SetRate(t, "RUB", "100", true)
	b.shop = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopePayments}})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 1})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	b.payments = testenv.Must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true}))(t)
	b.simulator = simulator.New(b.Pool, b.clock, b.payments)
	return b
}

func (b *bundle) create(t *testing.T, orderID, amount string) payment.Payment {
	t.Helper()
	method := "sbp"
	created := testenv.Must(b.payments.Create(t.Context(), b.shop.Caller, payment.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	}))(t)
	return created.Payment
}

// get finds a payment as its merchant.
func (b *bundle) get(t *testing.T, id string) payment.Payment {
	t.Helper()
	return testenv.Must(b.payments.Get(t.Context(), b.shop.Caller, id))(t)
}

// every is one play for all payments of a method.
func every(confirmed, wrong, cancelled, from, to int32) simulator.Play {
	return simulator.Play{
		Method: "sbp", Confirmed: confirmed, WrongAmount: wrong, Cancelled: cancelled, From: from, To: to,
	}
}

// Payments are answered as their play says, not before their time, and counted.
func TestStep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		play    simulator.Play
		after   time.Duration
		want    payment.Status
		reason  string
		counted string
	}{
		"confirmed":      {every(100, 0, 0, 5, 5), 5 * time.Second, payment.Completed, "", "1 0 0"},
		"too early":      {every(100, 0, 0, 5, 5), 5*time.Second - time.Millisecond, payment.Pending, "", "0 0 0"},
		"wrong amount":   {every(0, 100, 0, 0, 0), 0, payment.Cancelled, "The payer sent another amount.", "0 1 0"},
		"cancelled":      {every(0, 0, 100, 0, 0), 0, payment.Cancelled, "No transfer has come.", "0 0 1"},
		"not answered":   {every(0, 0, 0, 0, 0), time.Minute, payment.Pending, "", "0 0 0"},
		"another method": {simulator.Play{Method: "card", Confirmed: 100}, time.Minute, payment.Pending, "", "0 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			made := b.create(t, "order", "1000")
			testenv.Must(b.simulator.Start(t.Context(), []simulator.Play{test.play}))(t)
			b.clock.Advance(test.after)
			for range 2 { // the second step finds nothing to do
				testenv.NoError(t, b.simulator.Step(t.Context()))
			}
			got := b.get(t, made.UUID.String())
			reason := ""
			if got.StatusReason != nil {
				reason = *got.StatusReason
			}
			testenv.Check(t, got.Status == test.want && reason == test.reason,
				"%s for %q, want %s for %q", got.Status, reason, test.want, test.reason)
			state := testenv.Must(b.simulator.Get(t.Context()))(t)
			testenv.Want(t, fmt.Sprint(state.Confirmed, state.WrongAmount, state.Cancelled), test.counted, "counted")
		})
	}
}

// Of many payments about as many end in each way as the play says. The bounds
// are four standard deviations of 400 draws.
func TestShares(t *testing.T) {
	b := setup(t)
	for i := range 400 {
		b.create(t, fmt.Sprint("order-", i), fmt.Sprint(1000+i)) // a requisite waits for one payment of an amount
	}
	testenv.Must(b.simulator.Start(t.Context(), []simulator.Play{every(60, 20, 10, 0, 0)}))(t)
	testenv.NoError(t, b.simulator.Step(t.Context()))
	state := testenv.Must(b.simulator.Get(t.Context()))(t)
	for name, share := range map[string]struct{ got, least, most int64 }{
		"confirmed":    {state.Confirmed, 200, 280},
		"wrong amount": {state.WrongAmount, 48, 112},
		"cancelled":    {state.Cancelled, 16, 64},
	} {
		testenv.Check(t, share.got >= share.least && share.got <= share.most,
			"%s: %d, want between %d and %d", name, share.got, share.least, share.most)
	}
}

// A simulation that was stopped, or never started, answers nothing; a start
// counts anew.
func TestStop(t *testing.T) {
	b := setup(t)
	b.create(t, "first", "1000")
	testenv.NoError(t, b.simulator.Step(t.Context()))
	plays := []simulator.Play{every(100, 0, 0, 0, 0)}
	state := testenv.Must(b.simulator.Start(t.Context(), plays))(t)
	testenv.Check(t, state.Running && state.Since != nil && state.Since.Equal(b.clock.Now()),
		"after the start: %+v", state)
	testenv.NoError(t, b.simulator.Step(t.Context()))
	state = testenv.Must(b.simulator.Stop(t.Context()))(t)
	testenv.Check(t, !state.Running && state.Confirmed == 1, "after the stop: %+v", state)
	second := b.create(t, "second", "1000")
	testenv.NoError(t, b.simulator.Step(t.Context()))
	testenv.Want(t, b.get(t, second.UUID.String()).Status, payment.Pending, "stopped, and the payment")
	state = testenv.Must(b.simulator.Start(t.Context(), plays))(t)
	testenv.Want(t, state.Confirmed, 0, "confirmed at a new start")
}

// What cannot be played is refused with the field's name, and what was played
// goes on.
func TestStartRefused(t *testing.T) {
	b := setup(t)
	first := []simulator.Play{every(50, 0, 0, 1, 2)}
	testenv.Must(b.simulator.Start(t.Context(), first))(t)
	for fields, plays := range map[string][]simulator.Play{
		"plays":                       nil,
		"plays[0].method":             {{Method: "barter"}},
		"plays[1].method":             {every(1, 0, 0, 0, 0), every(2, 0, 0, 0, 0)},
		"plays[0].confirmedPercent":   {every(101, 0, 0, 0, 0)},
		"plays[0].wrongAmountPercent": {every(0, -1, 0, 0, 0)},
		"plays[0].cancelledPercent plays[0].confirmedPercent": {every(0, 0, 2_000_000_000, 0, 0)},
		"plays[0].delayFromSeconds":                           {every(0, 0, 0, -1, 0)},
		"plays[0].delayToSeconds":                             {every(0, 0, 0, 2, 1)},
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.simulator.Start(t.Context(), plays)), strings.Fields(fields)...)
	}
	more := []simulator.Play{every(50, 50, 1, 0, 0)} // 101 of 100
	dbtest.WantFields(t, testenv.ErrOf(b.simulator.Start(t.Context(), more)), "plays[0].confirmedPercent")
	state := testenv.Must(b.simulator.Get(t.Context()))(t)
	testenv.Check(t, len(state.Plays) == 1 && state.Plays[0] == first[0], "now it plays %+v", state.Plays)
}
