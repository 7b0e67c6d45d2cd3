package payment_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a payment service over a database of its own, with a rate of 100
// RUB per USDT.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	payments *payment.Service
	sums     *rate.Explainer
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	d.SetRate(t, "RUB", "100", true)
	clock := &dbtest.Clock{}
	settings := testenv.Must(inforce.NewKeeper(t.Context(), d.Pool, 0, nil))(t)
	b := &bundle{DB: d, clock: clock, sums: rate.NewExplainer(d.Pools(), clock, configuration.Markup, settings.Rate)}
	b.payments = b.replica(t, 0)
	return b
}

// trade is a bundle with a merchant, and a trader who takes their payments.
func trade(t *testing.T, o dbtest.TraderOpts) (*bundle, dbtest.Merchant, dbtest.Trader) {
	t.Helper()
	b := setup(t)
	return b, b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewTrader(t, o)
}

// configuration is what a service is set up with, unless a test says otherwise.
var configuration = payment.Config{
	Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true,
}

// replica is another process on the same database: a service with a memory of
// its own, which may be so old. Without one it asks for changes whenever a
// payment is made, so that a test may set what it likes in between.
func (b *bundle) replica(t *testing.T, usable time.Duration) *payment.Service {
	t.Helper()
	return b.service(t, usable, configuration)
}

// service is a replica that is set up otherwise.
func (b *bundle) service(t *testing.T, usable time.Duration, config payment.Config) *payment.Service {
	t.Helper()
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, usable, nil))(t)
	return testenv.Must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings, config))(t)
}

// relay queues the deliveries of all events so far, as the program does all the
// time.
func (b *bundle) relay(t *testing.T) {
	t.Helper()
	testenv.NoError(t, webhook.NewRelay(b.Pool, b.clock, prometheus.NewRegistry()).Run(t.Context()))
}

// request is a valid sbp payment of 1000 RUB.
func request(orderID string) payment.Request {
	method := "sbp"
	return payment.Request{
		OrderID: orderID, Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	}
}

// requestOf is a valid sbp payment of so many RUB.
func requestOf(orderID, amount string) payment.Request {
	r := request(orderID)
	r.Amount = amount
	return r
}

// requestBy is a valid payment of 1000 in another currency, or by another
// method.
func requestBy(orderID, currency, method string) payment.Request {
	r := request(orderID)
	r.Currency, r.Method = currency, &method
	return r
}

// abroad has a merchant and a trader of a method in AZN, at 2 per USDT.
func (b *bundle) abroad(t *testing.T, method string) (dbtest.Merchant, dbtest.Trader) {
	t.Helper()
	b.SetRate(t, "AZN", "2", true)
	return b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{method}}),
		b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, Currency: "AZN", Method: method})
}

// portalOf is an owner of a merchant, in its portal.
func portalOf(merchantID int64) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: merchantID}
}

// application is the caller that proved the external payments secret.
var application = caller.Caller{Kind: caller.Application}

// create makes a payment that must succeed.
func (b *bundle) create(t *testing.T, who caller.Caller, r payment.Request) payment.Payment {
	t.Helper()
	created, err := b.payments.Create(context.Background(), who, r)
	testenv.Need(t, err == nil && !created.Replay, "create %s: %v, replay %v", r.OrderID, err, created.Replay)
	return created.Payment
}

// row is a payment as it is stored, with what no reader is shown.
func (b *bundle) row(t *testing.T, p payment.Payment) db.Payment {
	t.Helper()
	key := db.PaymentGetParams{MerchantID: p.MerchantID, ID: p.ID}
	return testenv.Must(db.New(b.Pool).PaymentGet(context.Background(), key))(t)
}

// set moves a payment to a status on the application's word.
func (b *bundle) set(t *testing.T, id int64, status string) payment.Payment {
	t.Helper()
	p, _, err := b.payments.UpdateStatus(context.Background(), application, id, payment.Update{Status: status})
	testenv.Need(t, err == nil, "set %s: %v", status, err)
	return p
}

// made makes a payment and moves it to a status.
func (b *bundle) made(t *testing.T, merchant dbtest.Merchant, orderID, status string) payment.Payment {
	t.Helper()
	return b.set(t, b.create(t, merchant.Caller, request(orderID)).ID, status)
}

// money is what the parties to a payment have.
type money struct{ trader, reserved, cashbox, platform string }

// wantMoney wants the parties to have this, and the books to be right.
func (b *bundle) wantMoney(t *testing.T, traderID, cashboxID int64, want money) {
	t.Helper()
	b.WantHas(t, map[ledger.Account]string{
		ledger.Available(ledger.Trader, traderID): want.trader, ledger.Reserved(ledger.Trader, traderID): want.reserved,
		ledger.Available(ledger.Cashbox, cashboxID): want.cashbox, ledger.Available(ledger.Platform, 0): want.platform,
	})
}

func at(minutes int) time.Time { return dbtest.Start.Add(time.Duration(minutes) * time.Minute) }

func percent(s string) decimal.NullDecimal {
	return decimal.NewNullDecimal(decimal.RequireFromString(s))
}
