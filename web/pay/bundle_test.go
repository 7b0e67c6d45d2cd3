package pay_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/inforce"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/web/browsertest"
	"gateway.example/web/pay"
	"gateway.example/web/portal/portaltest"
)

// Two tests at a time keep two processors busy, and each that has a browser has
// it open a tab.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "2"); err != nil {
		panic(err)
	}
	dbtest.Main(m, browsertest.End)
}

// bundle is the hosted pages over a database of their own.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	payments *payment.Service
	// checkouts are those of cards, and poll asks their acquirer, as the
	// program does every second.
	checkouts *checkout.Service
	line      *wire
	limits    *limit.Limits
	settings  *directory.Settings
	payLinks  *paylink.Service
	links     *auth.Links
	services  pay.Services
	server    *httptest.Server
	site      *portaltest.Bundle
	orders    atomic.Int64

	// boxes are merchants by the currency they take, and pooled the methods
	// of which there are requisites: what a test needs is made when it
	// asks.
	lock   sync.Mutex
	boxes  map[string]dbtest.Merchant
	pooled map[[2]string]bool
}

func ptr[T any](v T) *T { return &v }

// setup has the test run beside others, and serves the pages. simulate tells
// whether they offer to act as the bank.
func setup(t *testing.T, simulate bool) *bundle {
	t.Helper()
	t.Parallel()
	return serve(t, simulate)
}

func serve(t *testing.T, simulate bool) *bundle {
	t.Helper()
	d := dbtest.New(t)
	b := &bundle{
		DB: d, clock: &dbtest.Clock{}, boxes: map[string]dbtest.Merchant{}, pooled: map[[2]string]bool{},
	}
	b.links = testenv.Must(auth.NewLinks([]byte(strings.Repeat("k", 32))))(t)
	safe := b.safe(t)
	// It asks for changes whenever a payment is made, so that a test may
	// set what it likes in between.
	settings := testenv.Must(inforce.NewKeeper(t.Context(), d.Pool, 0, nil))(t)
	b.payments = testenv.Must(payment.New(d.Pools(), b.clock, outbound.NewAddresses(simulate), settings, payment.Config{
		Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true, Cards: safe,
		CardMoved: checkout.OnStatusChange,
	}))(t)
	b.payLinks = paylink.New(d.Pools(), b.clock, settings, outbound.NewAddresses(simulate), b.payments, b.links)
	b.limits = limit.New(d.Pool)
	b.line = &wire{Acquirer: acquirer.NewSandbox(d.Pool, b.clock)}
	b.checkouts = checkout.New(d.Pools(), b.clock, checkout.Services{
		Payments: b.payments, Links: b.links, Cards: safe, Limits: b.limits,
		Acquirers: b.line,
	})
	b.settings = directory.NewSettings(d.Pools(), b.clock, nil, dbtest.Requisites(), directory.Config{})
	services := pay.Services{
		Payments: b.payments, Checkouts: b.checkouts, Looks: directory.NewLooks(d.Pools()), Links: b.links,
		PayLinks: b.payLinks,
		Limits:   b.limits, Clock: b.clock, Sandbox: simulate, URL: "https://pay.example",
		Operator: "Example Payments, help@pay.example",
	}
	if simulate {
		services.Simulate = b.confirm
	}
	b.services = services
	b.server = httptest.NewServer(pay.New(services))
	b.site = &portaltest.Bundle{Server: b.server}
	t.Cleanup(func() {
		b.server.CloseClientConnections() // a page that is still open has a question held
		b.server.Close()
	})
	return b
}

// box is the merchant of a currency.
func (b *bundle) box(t testing.TB, currency string) dbtest.Merchant {
	t.Helper()
	b.lock.Lock()
	defer b.lock.Unlock()
	if _, there := b.boxes[currency]; !there {
		b.SetRate(t, currency, "100", true)
		b.boxes[currency] = b.NewMerchant(t, dbtest.MerchantOpts{
			Currency: currency,
			Methods:  []string{"sbp", "sim", "card", "c2c", "iban", "quasi_ecom", "mtstpay"},
		})
	}
	return b.boxes[currency]
}

// pool has a trader take payments of a currency by a method.
func (b *bundle) pool(t testing.TB, currency, method string) {
	t.Helper()
	b.lock.Lock()
	defer b.lock.Unlock()
	if !b.pooled[[2]string{currency, method}] {
		b.pooled[[2]string{currency, method}] = true
		b.NewTrader(t, dbtest.TraderOpts{
			USDT: "100000000000", Requisites: 20, Currency: currency, Method: method, MaxAmount: "999999999999.99",
		})
	}
}

// wire is the way to the sandbox's acquirer: cards and codes are lost on it
// while it is cut, and one trader may have none.
type wire struct {
	acquirer.Acquirer
	cut     atomic.Bool
	without atomic.Int64
}

var errCut = errors.New("the line is cut")

func (l *wire) For(_ context.Context, traderID int64) (acquirer.Acquirer, int64, error) {
	if traderID == l.without.Load() {
		return nil, 0, acquirer.ErrNone
	}
	return l, 0, nil
}

func (l *wire) Began(context.Context, int64) (acquirer.Acquirer, error) { return l, nil }

func (l *wire) Authorize(
	ctx context.Context, a acquirer.Attempt, c card.Card, cvv acquirer.CVV,
) (acquirer.Answer, error) {
	if l.cut.Load() {
		return acquirer.Answer{}, errCut
	}
	return l.Acquirer.Authorize(ctx, a, c, cvv)
}

func (l *wire) SubmitCode(
	ctx context.Context, id uuid.UUID, number int32, code acquirer.Code,
) (acquirer.Answer, error) {
	if l.cut.Load() {
		return acquirer.Answer{}, errCut
	}
	return l.Acquirer.SubmitCode(ctx, id, number, code)
}

func (b *bundle) safe(t *testing.T) *card.Safe {
	t.Helper()
	key := []byte(strings.Repeat("v", 32))
	return card.NewSafe(testenv.Must(vault.New(key))(t), key)
}

// create makes a payment of 1500 in a currency and by a method, with texts that
// would do harm if they were not escaped. What is otherwise is changed.
func (b *bundle) create(t testing.TB, currency, method string, change ...func(r *payment.Request)) payment.Payment {
	t.Helper()
	request := payment.Request{
		OrderID: fmt.Sprintf("<b>%d", b.orders.Add(1)), Amount: "1500", Currency: currency, Method: &method,
		CallbackURI: "https://shop.example/hook", Description: ptr(`"><script>alert(1)</script>`),
	}
	for _, change := range change {
		change(&request)
	}
	b.pool(t, currency, method)
	return testenv.Must(b.payments.Create(context.Background(), b.box(t, currency).Caller, request))(t).Payment
}

// createFor makes a payment of a payer known by an id.
func (b *bundle) createFor(t testing.TB, currency, method, userID string) payment.Payment {
	t.Helper()
	return b.create(t, currency, method, func(r *payment.Request) { r.Payer = &payment.Payer{UserID: &userID} })
}

// change changes a cashbox as an operator does.
func (b *bundle) change(t testing.TB, to directory.CashboxUpdate) {
	t.Helper()
	testenv.Must(b.settings.UpdateCashbox(t.Context(), portaltest.Admin, to))(t)
}

// set moves a payment to a status on the application's word.
func (b *bundle) set(t testing.TB, p payment.Payment, status string, reason *string) {
	t.Helper()
	testenv.Must2(b.payments.UpdateStatus(context.Background(), caller.Caller{Kind: caller.Application}, p.ID,
		payment.Update{Status: status, Reason: reason}))(t)
}

// traderOf is who takes a payment, and ownerOf whose shop a merchant is.
func traderOf(p payment.Payment) caller.Caller {
	return caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: p.TraderID}
}

func ownerOf(merchantID int64) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 1, MerchantID: merchantID}
}

// confirm completes a payment on its trader's word.
func (b *bundle) confirm(ctx context.Context, p payment.Payment) error {
	return testenv.ErrOf(b.payments.Confirm(ctx, traderOf(p), p.ID))
}

func (b *bundle) path(p payment.Payment) string {
	if p.CardCheckout() {
		return "/pay/" + b.links.Token(p.UUID)
	}
	return "/r/" + b.links.Token(p.UUID)
}

func (b *bundle) status(t testing.TB, p payment.Payment) string {
	t.Helper()
	return string(testenv.Must(b.payments.ByUUID(context.Background(), p.UUID))(t).Status)
}

type answer = portaltest.Answer

// ask reads an address as somebody whose browser has kept nothing; headers are
// pairs.
func (b *bundle) ask(t testing.TB, path string, headers ...string) portaltest.Answer {
	t.Helper()
	return b.site.Nobody().Get(t, path, headers...)
}

// page reads a page that must be there.
func (b *bundle) page(t testing.TB, path string) *goquery.Document {
	t.Helper()
	return b.site.Nobody().Page(t, path)
}

// What the portals' tests say, too.
var want, wantIn, wantNot, line = portaltest.Want, portaltest.WantIn, portaltest.WantNot, portaltest.Line

// words is an element's text with its white space made single.
func words(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

func wantText(t testing.TB, page *goquery.Document, selector, text string) {
	t.Helper()
	want(t, selector, words(page.Find(selector)), text)
}

// post sends a form as the page's own browser does, which tells nobody where it
// was; fields are pairs.
func (b *bundle) post(t testing.TB, path string, fields ...string) portaltest.Answer {
	t.Helper()
	return b.site.Nobody().PostForm(t, path, portaltest.Form(fields...), "Origin", "null", "Sec-Fetch-Site", "same-origin")
}

// mistaken sends a form that has mistakes in it, and follows where that leads
// as a browser does. The answer is the page that may be loaded again.
func (b *bundle) mistaken(t testing.TB, path string, fields ...string) answer {
	t.Helper()
	a := b.post(t, path, fields...)
	to := a.To()
	want(t, "the form leads to its mistakes", line(a.Code, strings.Contains(to, "wrong=")), line(http.StatusSeeOther, true))
	cookie, _, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if page := b.ask(t, to, "Cookie", cookie); page.Code == http.StatusOK {
		page.Body += "<!-- " + cookie + to + " -->" // where secrets are looked for
		return page
	}
	t.Fatalf("%s is no page", to)
	return a
}
