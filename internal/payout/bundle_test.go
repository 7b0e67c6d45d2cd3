package payout_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a payout service over a database of its own, with a rate of 100 RUB per USDT.
type bundle struct {
	*dbtest.DB
	clock   *dbtest.Clock
	payouts *payout.Service
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	d.SetRate(t, "RUB", "100", true)
	clock := &dbtest.Clock{}
	sealer := testenv.Must(vault.New(make([]byte, vault.KeySize)))(t)
	service := payout.New(d.Pools(), clock, sealer, outbound.NewAddresses(false), foureyes.Rules{})
	return &bundle{DB: d, clock: clock, payouts: service}
}

// relay queues the deliveries of all events so far, as the program does all the time.
func (b *bundle) relay(t *testing.T) {
	t.Helper()
	testenv.NoError(t, webhook.NewRelay(b.Pool, b.clock, prometheus.NewRegistry()).Run(t.Context()))
}

// merchant is one whose cashbox has USDT and pays out by sbp and c2c, at a markup of 2%, for a day.
func (b *bundle) merchant(t *testing.T, usdt string, o dbtest.MerchantOpts) dbtest.Merchant {
	t.Helper()
	if o.Scopes == nil {
		o.Scopes = []string{caller.ScopePayouts}
	}
	m := b.NewMerchant(t, o)
	check := b.Queries()
	b.Fund(t, ledger.Available(ledger.Cashbox, m.CashboxID), usdt)
	for _, method := range []string{"sbp", "c2c"} {
		testenv.NoError(t, check.CashboxPayoutMethodSet(t.Context(), db.CashboxPayoutMethodSetParams{
			CashboxID: m.CashboxID, Method: method, Enabled: true,
			MarkupPercent: decimal.NewFromInt(2), ValiditySeconds: 86400,
		}))
	}
	return m
}

// withMerchant is a bundle with such a merchant.
func withMerchant(t *testing.T, usdt string) (*bundle, dbtest.Merchant) {
	t.Helper()
	b := setup(t)
	return b, b.merchant(t, usdt, dbtest.MerchantOpts{})
}

// trader is one who can pay RUB by the methods and keeps 1.5% of spot.
func (b *bundle) trader(t *testing.T, methods ...string) dbtest.Trader {
	t.Helper()
	trader := b.NewTrader(t, dbtest.TraderOpts{SharePercent: "1.5"})
	for _, method := range methods {
		testenv.NoError(t, b.Queries().TraderPayoutMethodSet(t.Context(), db.TraderPayoutMethodSetParams{
			TraderID: trader.ID, Currency: "RUB", Method: method, Enabled: true,
		}))
	}
	return trader
}

const phone = "+79001234567"

// request is a valid sbp payout of 1000 RUB: 10 USDT at spot, 10.2 frozen, 10.15 for the trader,
// 0.05 for the platform.
func request(orderID string) payout.Request {
	return payout.Request{
		OrderID: orderID, Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: phone, Recipient: "Ivan Petrov",
	}
}

// create makes a payout that must succeed.
func (b *bundle) create(t *testing.T, who caller.Caller, r payout.Request) payout.Payin {
	t.Helper()
	created, err := b.payouts.Create(context.Background(), who, r)
	testenv.Need(t, err == nil && !created.Replay, "create %s: %v, replay %v", r.OrderID, err, created.Replay)
	return created.Payin
}

func id(p payout.Payin) string { return p.UUID.String() }

// take has a trader take a payout, which must succeed.
func (b *bundle) take(t *testing.T, trader dbtest.Trader, p payout.Payin) payout.Offer {
	t.Helper()
	return testenv.Must(b.payouts.Take(context.Background(), trader.Caller, id(p)))(t)
}

// money is what the parties to a payout have.
type money struct{ available, reserved, trader, platform string }

func (b *bundle) wantMoney(t *testing.T, cashboxID, traderID int64, want money) {
	t.Helper()
	for account, amount := range map[ledger.Account]string{
		ledger.Available(ledger.Cashbox, cashboxID): want.available, ledger.Reserved(ledger.Cashbox, cashboxID): want.reserved,
		ledger.Available(ledger.Trader, traderID): want.trader, ledger.Available(ledger.Platform, 0): want.platform,
	} {
		if got := b.Balance(t, account); !got.Equal(decimal.RequireFromString(amount)) {
			t.Errorf("%s reserved=%v has %s, want %s", account.Owner, account.Reserved, got, amount)
		}
	}
	b.Audit(t)
}

const day = 24 * time.Hour
