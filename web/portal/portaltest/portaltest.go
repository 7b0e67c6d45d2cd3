// Package portaltest gives tests the portals over a database of their own, and
// people who use them.
package portaltest

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/alarm"
	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/auditlog"
	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/figures"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/limit"
	"gateway.example/internal/notify"
	"gateway.example/internal/outbound"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/routing"
	"gateway.example/internal/savedview"
	"gateway.example/internal/seal"
	"gateway.example/internal/session"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/internal/testenv"
	"gateway.example/internal/timeline"
	"gateway.example/internal/waits"
	"gateway.example/internal/webhook"
	"gateway.example/internal/withdrawal"
	"gateway.example/internal/work"
	"gateway.example/web/browsertest"
	"gateway.example/web/portals"
)

// Main runs the tests of a package, two at a time, which keeps two processors
// busy. Tests with a browser share one, in which each opens a tab.
func Main(m *testing.M) {
	if err := flag.Set("test.parallel", "2"); err != nil {
		panic(err)
	}
	dbtest.Main(m, browsertest.End)
}

// Options are how a bundle's portals run; the zero value is a sandbox on http
// without passkeys.
type Options struct {
	// Production requires a second factor of traders and operators.
	Production bool
	// Passkeys serves the portals at a name for which passkeys can be made.
	Passkeys bool
	// Withdrawals say when a withdrawal takes two operators; the zero value
	// is never.
	Withdrawals foureyes.Rules
}

// Bundle has the portals over a database of their own: two traders, and
// payments of two merchants.
type Bundle struct {
	*dbtest.DB
	Clock       *dbtest.Clock
	Payments    *payment.Service
	Payouts     *payout.Service
	Settings    *directory.Settings
	Deposits    *deposit.Service
	Withdrawals *withdrawal.Service
	Rates       *rate.Settings
	Sessions    *session.Service
	Server      *httptest.Server
	Merchant    dbtest.Merchant
	// Traders have one requisite each. Payments of up to 10,000 get the
	// first one, larger ones the second.
	Traders [2]dbtest.Trader
	// Stop ends the live pages.
	Stop func()
	// Purse records what the sandbox's wallet was asked to send.
	Purse     []string
	Services  portals.Services
	checkouts *checkout.Service
	sums      *rate.Explainer
	refusals  *routing.Refusals
	payLinks  *paylink.Service
	links     *auth.Links
	orders    atomic.Int64
}

// Parallel makes portals for a test, which from then on runs in parallel with
// others.
func Parallel(t *testing.T) *Bundle {
	t.Helper()
	t.Parallel()
	return With(t, Options{})
}

// Trader is Parallel with the owner of the first trader.
func Trader(t *testing.T) (*Bundle, *Person) {
	t.Helper()
	b := Parallel(t)
	return b, b.Trader(t, 0)
}

// Member is Parallel with a user of the merchant.
func Member(t *testing.T, role caller.Role) (*Bundle, *Person) {
	t.Helper()
	b := Parallel(t)
	return b, b.As(t, role)
}

// Operator is Parallel with an operator.
func Operator(t *testing.T, role caller.Role) (*Bundle, *Person) {
	t.Helper()
	b := Parallel(t)
	return b, b.Operator(t, role)
}

// With makes portals that run as the options say.
func With(t testing.TB, o Options) *Bundle {
	t.Helper()
	b := &Bundle{DB: dbtest.New(t), Clock: &dbtest.Clock{}}
	b.SetRate(t, "RUB", "100", true)
	b.SetRate(t, "AZN", "2", true)
	b.Merchant = b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"sbp"}})
	b.Traders[0] = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MaxAmount: "10000"})
	b.Traders[1] = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MinAmount: "10000.01"})
	b.furnish(t)
	handler := http.NewServeMux()
	b.Server = httptest.NewServer(handler)
	stopping := make(chan struct{})
	b.Stop = sync.OnceFunc(func() { close(stopping) })
	t.Cleanup(func() { b.Stop(); b.Server.Close() })
	origin := b.Server.URL
	if o.Passkeys {
		origin = strings.Replace(origin, "127.0.0.1", "localhost", 1)
	}
	var err error
	b.Sessions, err = session.New(b.Pools(), dbtest.Vault(), limit.New(b.Pool), session.Config{
		Compulsory: o.Production, PortalURL: origin, CookieKeys: cookieKeys,
	})
	noError(t, err)
	signer, err := attest.New(b.Pool, []byte(strings.Repeat("s", 32)))
	noError(t, err)
	b.Withdrawals = withdrawal.New(b.Pools(), b.Clock, outbound.NewAddresses(true), signer, o.Withdrawals)
	b.Services = b.services(t, signer, stopping)
	pages, err := portals.New(b.Services)
	noError(t, err)
	handler.Handle("/", pages)
	return b
}

var cookieKeys = [][]byte{[]byte(strings.Repeat("c", session.CookieKeySize))}

// services are the services that the portals use.
func (b *Bundle) services(t testing.TB, signer *attest.Signer, stopping <-chan struct{}) portals.Services {
	reports, log := report.New(b.Pools(), b.Clock, b.Payments, nil), auditlog.New(b.Pools(), nil)
	accounts := books.New(b.Pools(), b.Clock, nil)
	return portals.Services{
		Signer:      signer,
		Sessions:    b.Sessions,
		Submissions: submission.New(b.Pools()),
		Views:       savedview.New(b.Pools()),
		Payments:    b.Payments,
		Checkouts:   b.checkouts,
		Payouts:     b.Payouts,
		Settings:    b.Settings,
		Looks:       directory.NewLooks(b.Pools()),
		Acquirers:   acquirer.NewDirectory(b.Pool, b.Clock, dbtest.Vault(), outbound.NewAddresses(true), nil, acquirer.Config{}),
		Deposits:    b.Deposits,
		Withdrawals: b.Withdrawals,
		Rates:       b.Rates,
		Sums:        b.sums,
		Refusals:    b.refusals,
		Proposals:   b.proposals(),
		Messages:    bankmessage.New(b.Pools(), b.Clock, dbtest.Vault(), b.Payments),
		PayLinks:    b.payLinks, Tokens: b.links, PayURL: "https://pay.example",
		Proofs: seal.New(b.Pools(), seal.Services{
			Payments: b.Payments, Payouts: b.Payouts, Deposits: b.Deposits, Withdrawals: b.Withdrawals, Signer: signer,
		}),
		Audits:          audit.New(b.Pools()),
		Alarms:          alarm.New(b.Pools(), b.Clock),
		Reports:         reports,
		Timelines:       timeline.New(b.Pools(), b.Clock, b.Payments),
		Books:           accounts,
		AuditLog:        log,
		Figures:         figures.New(b.Pools(), b.Clock, nil),
		Waits:           waits.New(b.Pools(), b.Clock),
		Exports:         reports,
		BookExports:     accounts,
		AuditLogExports: log,
		Work:            work.New(b.Pools(), b.Clock),
		Keys:            auth.NewMerchantKeys(b.Pool, dbtest.Vault(), auth.DefaultHeaders()),
		Events:          webhook.NewEvents(b.Pools(), dbtest.Vault(), b.Clock),
		Clock:           b.Clock,
		Limits:          limit.New(b.Pool),
		Notices:         b.notices(t),
		Simulator:       simulator.New(b.Pool, b.Clock, b.Payments),
		APIURL:          "https://api.example",
		Headers:         auth.DefaultHeaders(),
		Stopping:        stopping,
	}
}

func (b *Bundle) proposals() *proposal.Service {
	return proposal.New(b.Pools(), b.Clock, dbtest.Vault(), proposal.Services{
		Settings: b.Settings, Rates: b.Rates, Deposits: b.Deposits, Withdrawals: b.Withdrawals, Users: b.Sessions,
	})
}

// notices has every channel, but with senders that reach nobody.
func (b *Bundle) notices(t testing.TB) *notify.Service {
	t.Helper()
	far := testenv.NewTelegram(t)
	far.Down.Store(true)
	bot, err := notify.NewTelegram("1:token", far.URL)
	noError(t, err)
	mail, err := notify.NewMail(notify.MailServer{Host: "127.0.0.1", Port: 1, From: "gateway@example.com", Plain: true})
	noError(t, err)
	public, private, err := notify.PushKeys()
	noError(t, err)
	return notify.New(b.Pools(), b.Clock, notify.Services{
		Vault: dbtest.Vault(), HashKey: make([]byte, 32), PortalURL: "https://portal.example",
		Senders: []notify.Sender{bot, mail, notify.NewPush(public, private, "ops@example.com", outbound.NewAddresses(true))},
	})
}

// furnish makes the services that the portals use.
func (b *Bundle) furnish(t testing.TB) {
	t.Helper()
	keeper, err := inforce.NewKeeper(t.Context(), b.Pool, 0, nil)
	noError(t, err)
	addresses := outbound.NewAddresses(true)
	safe := card.NewSafe(dbtest.Vault(), []byte(strings.Repeat("v", 32)))
	b.Payouts = payout.New(b.Pools(), b.Clock, dbtest.Vault(), addresses, foureyes.Rules{})
	b.refusals = routing.NewRefusals(b.Pools(), b.Clock, prometheus.NewRegistry())
	b.sums = rate.NewExplainer(b.Pools(), b.Clock, decimal.NewFromInt(5), keeper.Rate)
	b.Payments, err = payment.New(b.Pools(), b.Clock, addresses, keeper, payment.Config{
		Requisites: dbtest.Requisites(),
		Markup:     decimal.NewFromInt(5), ExternalSecret: true, Cards: safe, CardMoved: checkout.OnStatusChange,
		Payouts: b.Payouts, Refusals: b.refusals,
	})
	noError(t, err)
	b.links, err = auth.NewLinks([]byte(strings.Repeat("k", 32)))
	noError(t, err)
	b.payLinks = paylink.New(b.Pools(), b.Clock, keeper, addresses, b.Payments, b.links)
	b.checkouts = checkout.New(b.Pools(), b.Clock, checkout.Services{
		Payments: b.Payments, Links: b.links, Cards: safe, Limits: limit.New(b.Pool),
		Acquirers: ownAcquirer{acquirer.NewSandbox(b.Pool, b.Clock)},
	})
	b.Settings = directory.NewSettings(b.Pools(), b.Clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	b.Deposits = deposit.New(b.Pools(), b.Clock, foureyes.Rules{})
	b.Rates = rate.NewSettings(b.Pool, b.Clock, addresses, foureyes.Rules{})
}

// ownAcquirer charges the cards of every trader at the sandbox's acquirer.
type ownAcquirer struct{ acquirer.Acquirer }

func (a ownAcquirer) For(context.Context, int64) (acquirer.Acquirer, int64, error) { return a, 0, nil }

func (a ownAcquirer) Began(context.Context, int64) (acquirer.Acquirer, error) { return a, nil }

var noError = testenv.NoError
