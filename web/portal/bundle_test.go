package portal_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/alexedwards/argon2id"
	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/alarm"
	"gateway.example/internal/attest"
	"gateway.example/internal/audit"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/savedview"
	"gateway.example/internal/seal"
	"gateway.example/internal/session"
	"gateway.example/internal/simulator"
	"gateway.example/internal/submission"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
	"gateway.example/internal/work"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal"
)

// Two tests at a time keep two processors busy, and each that has a browser has it open a tab.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "2"); err != nil {
		panic(err)
	}
	dbtest.Main(m, browsertest.End)
}

// options are how a bundle's portals run; the zero value is a sandbox on http without passkeys.
type options struct {
	// production asks traders and operators for a second factor.
	production bool
	// passkeys has the portals on a name that passkeys can be made for.
	passkeys bool
}

// bundle is the portals over a database of their own: two traders with two merchants' payments.
type bundle struct {
	*dbtest.DB
	clock       *dbtest.Clock
	payments    *payment.Service
	checkouts   *checkout.Service
	payouts     *payout.Service
	settings    *directory.Settings
	deposits    *deposit.Service
	rates       *rate.Settings
	sessions    *session.Service
	submissions *submission.Service
	server      *httptest.Server
	merchant    dbtest.Merchant
	// traders have a requisite each: payments of up to 10,000 go to the first, others to the second.
	traders  [2]dbtest.Trader
	stopping chan struct{}
	stop     func()
	rooms    portal.Rooms
	orders   atomic.Int64
}

const password = "correct horse battery"

// passwordHash is made once, and is cheap to compare with: those that the program makes take long by design.
var passwordHash = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash(password, &argon2id.Params{
		Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		panic(err)
	}
	return hash
})

func setup(t testing.TB, o options) *bundle {
	t.Helper()
	d := dbtest.New(t)
	b := &bundle{DB: d, clock: &dbtest.Clock{}, stopping: make(chan struct{})}
	b.stop = sync.OnceFunc(func() { close(b.stopping) })
	d.SetRate(t, "RUB", "100", true)
	d.SetRate(t, "AZN", "2", true)
	b.merchant = d.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"sbp"}})
	b.traders[0] = d.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MaxAmount: "10000"})
	b.traders[1] = d.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MinAmount: "10000.01"})
	b.furnish(t)
	handler := http.NewServeMux()
	b.server = httptest.NewUnstartedServer(handler)
	b.server.Start()
	t.Cleanup(func() { b.stop(); b.server.Close() })
	origin := b.server.URL
	if o.passkeys {
		origin = strings.Replace(origin, "127.0.0.1", "localhost", 1)
	}
	var err error
	b.sessions, err = session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), session.Config{
		Compulsory: o.production,
		PortalURL:  origin,
		CookieKeys: [][]byte{[]byte(strings.Repeat("c", session.CookieKeySize))},
	})
	noError(t, err)
	b.submissions = submission.New(d.Pools())
	signer, err := attest.New(d.Pool, []byte(strings.Repeat("s", 32)))
	noError(t, err)
	b.rooms = portal.Rooms{
		Signer:      signer,
		Sessions:    b.sessions,
		Submissions: b.submissions,
		Views:       savedview.New(d.Pools()),
		Payments:    b.payments,
		Checkouts:   b.checkouts,
		Payouts:     b.payouts,
		Settings:    b.settings,
		Acquirers:   acquirer.NewDirectory(d.Pool, b.clock, dbtest.Vault(), webhook.NewAddresses(true), nil),
		Deposits:    b.deposits,
		Rates:       b.rates,
		Proposals: proposal.New(d.Pools(), b.clock, dbtest.Vault(), proposal.Rooms{
			Settings: b.settings, Rates: b.rates, Deposits: b.deposits,
		}),
		Proofs: seal.New(d.Pools(), b.clock, seal.Rooms{
			Payments: b.payments, Payouts: b.payouts, Deposits: b.deposits, Signer: signer,
		}),
		Audits:    audit.New(d.Pools()),
		Alarms:    alarm.New(d.Pools(), b.clock),
		Reports:   report.New(d.Pools(), b.clock, b.payments),
		Exports:   report.New(d.Pools(), b.clock, b.payments),
		Work:      work.New(d.Pools(), b.clock),
		Keys:      auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders()),
		Events:    webhook.NewEvents(d.Pools(), dbtest.Vault(), b.clock),
		Clock:     b.clock,
		Limits:    limit.New(d.Pool),
		Simulator: simulator.New(d.Pool, b.clock, b.payments),
		APIURL:    "https://api.example",
		Headers:   auth.DefaultHeaders(),
		Stopping:  b.stopping,
	}
	pages, err := portal.New(b.rooms)
	noError(t, err)
	handler.Handle("/", pages)
	return b
}

// furnish makes the rooms that the portals drive.
func (b *bundle) furnish(t testing.TB) {
	t.Helper()
	keeper, err := directory.NewKeeper(t.Context(), b.Pool, 0, nil)
	noError(t, err)
	addresses := webhook.NewAddresses(true)
	safe := card.NewSafe(dbtest.Vault(), []byte(strings.Repeat("v", 32)))
	b.payments, err = payment.New(b.Pools(), b.clock, addresses, keeper, payment.Config{
		Requisites: dbtest.Requisites(),
		Markup:     decimal.NewFromInt(5), ExternalSecret: true, Cards: safe, CardMoved: checkout.Follow,
	})
	noError(t, err)
	links, err := auth.NewLinks([]byte(strings.Repeat("k", 32)))
	noError(t, err)
	b.checkouts = checkout.New(b.Pools(), b.clock, checkout.Rooms{
		Payments:  b.payments,
		Links:     links,
		Cards:     safe,
		Limits:    limit.New(b.Pool),
		Acquirers: ownAcquirer{acquirer.NewSandbox(b.Pool, b.clock)},
	})
	b.payouts = payout.New(b.Pools(), b.clock, dbtest.Vault(), addresses)
	b.settings = directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites())
	b.deposits = deposit.New(b.Pools(), b.clock)
	b.rates = rate.NewSettings(b.Pool, b.clock, addresses)
}

// ownAcquirer charges every trader's cards at the sandbox's acquirer.
type ownAcquirer struct{ acquirer.Acquirer }

func (a ownAcquirer) For(context.Context, int64) (acquirer.Acquirer, int64, error) { return a, 0, nil }
func (a ownAcquirer) Began(context.Context, int64) (acquirer.Acquirer, error)      { return a, nil }

var noError = testenv.NoError

// user makes a user who signs in by their login and the password of all.
func (b *bundle) user(t testing.TB, login string, kind caller.Kind, role caller.Role, of int64) int64 {
	t.Helper()
	n := session.NewUser{Kind: kind, Role: role, Login: login}
	switch kind {
	case caller.Trader:
		n.TraderID = &of
	case caller.MerchantPortal:
		n.MerchantID = &of
	case caller.Cabinet:
		n.MerchantIDs = []int64{of}
	case caller.Operator, caller.Anyone, caller.MerchantKey, caller.Application:
	}
	id, err := session.InsertUser(context.Background(), b.Queries(), n, passwordHash(), time.Now())
	noError(t, err)
	return id
}

// trader makes and signs in the owner of one of the two traders.
func (b *bundle) trader(t testing.TB, which int) *person {
	t.Helper()
	login := fmt.Sprintf("owner-%d", which+1)
	b.user(t, login, caller.Trader, caller.Owner, b.traders[which].ID)
	return b.signIn(t, login)
}

// person is somebody's browser without scripts.
type person struct {
	b       *bundle
	cookies map[string]string
	// lock is of the cookies: a person may click twice.
	lock sync.Mutex
}

func (b *bundle) nobody() *person { return &person{b: b, cookies: map[string]string{}} }

func (b *bundle) signIn(t testing.TB, login string) *person {
	t.Helper()
	p := b.nobody()
	a := p.post(t, "/sign-in", "login", login, "password", password)
	if a.code != http.StatusSeeOther || p.cookies["session"] == "" {
		t.Fatalf("%s cannot sign in: %d %s", login, a.code, a.text())
	}
	return p
}

// answer is what a request got.
type answer struct {
	code   int
	header http.Header
	body   string
}

func (a answer) to() string { return a.header.Get("Location") }

func (a answer) page(t testing.TB) *goquery.Document {
	t.Helper()
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	noError(t, err)
	return document
}

// text is what the page says, its white space made single.
func (a answer) text() string {
	document, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil {
		return a.body
	}
	return strings.Join(strings.Fields(document.Find("main").Text()), " ")
}

func (p *person) get(t testing.TB, path string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.b.server.URL+path, nil)
	noError(t, err)
	return p.send(t, r, headers...)
}

// page reads a page that must be there.
func (p *person) page(t testing.TB, path string) *goquery.Document {
	t.Helper()
	a := p.get(t, path)
	if a.code != http.StatusOK {
		t.Fatalf("GET %s: %d, to %q", path, a.code, a.to())
	}
	return a.page(t)
}

// post sends a form as the page's own browser does; fields are pairs.
func (p *person) post(t testing.TB, path string, fields ...string) answer {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return p.postForm(t, path, form, "Origin", p.b.server.URL, "Sec-Fetch-Site", "same-origin")
}

func (p *person) postForm(t testing.TB, path string, form url.Values, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.b.server.URL+path,
		strings.NewReader(form.Encode()))
	noError(t, err)
	return p.send(t, r, append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

// send sends a request with the browser's cookies, and keeps those it is given. It follows nowhere.
func (p *person) send(t testing.TB, r *http.Request, headers ...string) answer {
	t.Helper()
	p.lock.Lock()
	for name, value := range p.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	p.lock.Unlock()
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	noError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	noError(t, err)
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, cookie := range response.Cookies() {
		p.cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(p.cookies, cookie.Name)
		}
	}
	return answer{code: response.StatusCode, header: response.Header, body: string(body)}
}

// hidden are the hidden fields of a page's own form, as pairs, with more behind them.
func hidden(page *goquery.Document, more ...string) []string {
	var fields []string
	page.Find("main form input[type=hidden]").Each(func(_ int, input *goquery.Selection) {
		fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	return append(fields, more...)
}

// create makes a payment of so many rubles.
func (b *bundle) create(t testing.TB, amount string) payment.Payment {
	t.Helper()
	method := "sbp"
	created, err := b.payments.Create(context.Background(), b.merchant.Caller, payment.Request{
		OrderID: fmt.Sprintf("<b>%d", b.orders.Add(1)), Amount: amount, Currency: "RUB", Method: &method,
		CallbackURI: "https://shop.example/hook",
	})
	noError(t, err)
	return created.Payment
}

func (b *bundle) status(t testing.TB, p payment.Payment) string {
	t.Helper()
	now, err := b.payments.ByUUID(context.Background(), p.UUID)
	noError(t, err)
	return string(now.Status)
}

// cookie is a session's, put into a browser.
func (p *person) cookie() string { return p.cookies["session"] }

// asTrader calls a service as the owner of the first trader.
func (b *bundle) asTrader() caller.Caller {
	who := b.traders[0].Caller
	who.Role = caller.Owner
	return who
}
