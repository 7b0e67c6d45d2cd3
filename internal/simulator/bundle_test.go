package simulator_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/simulator"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a merchant whose payments by sbp go to the requisites of a trader, and who simulates the
// trader.
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

// names tells that an error is about a field.
func names(err error, field string) bool {
	f := fault.As(err)
	return f != nil &&
		slices.ContainsFunc(f.Fields[field], func(text string) bool { return strings.TrimSpace(text) != "" })
}

var noError = testenv.NoError
