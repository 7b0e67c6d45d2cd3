// Package reporttest gives tests of what people read about payments two
// merchants and two traders, with payments and payouts of theirs.
package reporttest

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

// Bundle is a database of its own, with a rate of 100 RUB per USDT. Two
// merchants take sbp and sim: payments by sbp go to one trader, by sim to the
// other.
type Bundle struct {
	*dbtest.DB
	Clock    *dbtest.Clock
	Payments *payment.Service
	Payouts  *payout.Service

	Shop, Other dbtest.Merchant
	SBP, SIM    dbtest.Trader
}

// New makes one, and has the test run beside others.
func New(t *testing.T) *Bundle {
	t.Helper()
	t.Parallel()
	b := &Bundle{DB: dbtest.New(t), Clock: &dbtest.Clock{}}
	b.SetRate(t, "RUB", "100", true)
	scopes := []string{caller.ScopePayments, caller.ScopePayouts}
	b.Shop = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: scopes})
	b.Other = b.NewMerchant(t, dbtest.MerchantOpts{Scopes: scopes})
	b.SBP = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1})
	b.SIM = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1, Method: "sim"})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, 0, nil))(t)
	addresses := outbound.NewAddresses(false)
	b.Payouts = payout.New(b.Pools(), b.Clock, dbtest.Vault(), addresses, foureyes.Rules{})
	b.Payments = testenv.Must(payment.New(b.Pools(), b.Clock, addresses, settings, payment.Config{
		Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true, Payouts: b.Payouts,
	}))(t)
	return b
}

// TraderUser is a user of a trader.
func TraderUser(of dbtest.Trader, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.Trader, ID: 30 + of.ID, TraderID: of.ID, Role: role}
}

// MerchantUser is a user of a merchant.
func MerchantUser(of dbtest.Merchant, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, ID: 50 + of.ID, MerchantID: of.ID, Role: role}
}

// Operator is one.
var Operator = caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Auditor}

// Create makes a payment of 1000 RUB by sbp.
func (b *Bundle) Create(t *testing.T, m dbtest.Merchant, orderID string) payment.Payment {
	t.Helper()
	return b.CreateOf(t, m, "sbp", orderID, "1000")
}

// CreateOf makes one by another method, or of another amount.
func (b *Bundle) CreateOf(t *testing.T, m dbtest.Merchant, method, orderID, amount string) payment.Payment {
	t.Helper()
	who := m.Caller
	who.RequestID, who.Address = "request-"+orderID, "203.0.113.9"
	created := testenv.Must(b.Payments.Create(t.Context(), who, payment.Request{
		OrderID: orderID, Amount: amount, Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	}))(t)
	return created.Payment
}

// Confirm completes a payment on its trader's word.
func (b *Bundle) Confirm(t *testing.T, of dbtest.Trader, id int64) {
	t.Helper()
	testenv.Must(b.Payments.Confirm(t.Context(), TraderUser(of, caller.Desk), id))(t)
}

// Copies makes payments like the given one, in the database alone, with the ids
// from first to last, each a second younger than the one before.
func (b *Bundle) Copies(t *testing.T, of payment.Payment, first, last int) {
	t.Helper()
	b.Exec(t, `insert into payment select made.* from payment p, generate_series($2::int, $3::int) n,
			jsonb_populate_record(p, jsonb_build_object('id', n, 'uuid', gen_random_uuid(), 'order_id', 'copy-' || n,
				'created_at', p.created_at + make_interval(secs => n - $2))) made
			where p.id = $1`, of.ID, first, last)
	// The server would do this by itself, a minute later. Until then plans
	// are made for a table of one row.
	b.Exec(t, "analyze payment")
}

// Relay queues the deliveries of all events so far, as the program does all the
// time.
func (b *Bundle) Relay(t *testing.T) {
	t.Helper()
	testenv.NoError(t, webhook.NewRelay(b.Pool, b.Clock, prometheus.NewRegistry()).Run(t.Context()))
}

// Attempt notes an attempt to deliver a subject's last event, answered with
// 500.
func (b *Bundle) Attempt(t *testing.T, merchantID, subjectID int64) {
	t.Helper()
	b.Exec(t, `insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer)
		select merchant_id, id, $3, 250, 500, 'out of order' from webhook_event
		where merchant_id = $1 and subject_id = $2 order by sequence desc limit 1`,
		merchantID, subjectID, b.Clock.Now())
}

// MayPayOut lets a merchant pay out of 100 USDT by sbp, at a markup of 2%, and
// traders pay.
func (b *Bundle) MayPayOut(t *testing.T, m dbtest.Merchant, traders ...dbtest.Trader) {
	t.Helper()
	b.Fund(t, ledger.Available(ledger.Cashbox, m.CashboxID), "100")
	b.PaysOut(t, m.CashboxID, "2", "sbp")
	for _, trader := range traders {
		b.PaysBy(t, trader.ID, "sbp")
	}
}

// PayOut makes a payout of 1000 RUB by sbp.
func (b *Bundle) PayOut(t *testing.T, m dbtest.Merchant, orderID string) payout.Payout {
	t.Helper()
	who := m.Caller
	who.RequestID, who.Address = "request-"+orderID, "203.0.113.9"
	created := testenv.Must(b.Payouts.Create(t.Context(), who, payout.Request{
		OrderID: orderID, Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: "+79001234567", Recipient: "Ivan Petrov",
	}))(t)
	return created.Payout
}

// Set sets a payment's status, as the application does.
func (b *Bundle) Set(t *testing.T, id int64, status string) {
	t.Helper()
	_, _, err := b.Payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, id,
		payment.Update{Status: status})
	testenv.NoError(t, err)
}

// Want compares texts, of which the first is what they are called.
func Want(t *testing.T, name, got, want string) {
	t.Helper()
	testenv.Want(t, got, want, "%s", name)
}

// Many is over how many payments a test is to measure, as an environment
// variable says; it is skipped where nobody asks for that.
func Many(t *testing.T, variable string) int {
	t.Helper()
	many, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || many < 10_000 {
		t.Skip(variable + " is no number of payments")
	}
	return many
}

// Within tells how long a call takes of forty, and wants no more than two to
// take longer than that.
func Within(t *testing.T, most time.Duration, name string, call func() error) {
	t.Helper()
	var took []time.Duration
	for range 40 {
		began := time.Now()
		testenv.NoError(t, call())
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("%-32s p50 %6.1f ms, p95 %6.1f ms", name, took[20].Seconds()*1000, took[38].Seconds()*1000)
	testenv.Check(t, took[38] <= most, "%s takes %s at p95", name, took[38])
}
