package acceptance

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// front is the proxy that ends TLS before the portals, as production has one.
type front struct {
	*httptest.Server
	behind atomic.Pointer[url.URL]
}

func newFront(t *testing.T) *front {
	t.Helper()
	f := &front{}
	quiet := log.New(io.Discard, "", 0) // the browser tells that it knows no such authority, and goes away
	f.Server = httptest.NewUnstartedServer(
		&httputil.ReverseProxy{ErrorLog: quiet, Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(f.behind.Load())
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		}},
	)
	f.Config.ErrorLog = quiet
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

// to names what is behind the proxy.
func (f *front) to(t *testing.T, address string) {
	t.Helper()
	behind, err := url.Parse(address)
	noError(t, err)
	f.behind.Store(behind)
}

// newcomer is somebody in a browser of their own.
type newcomer struct {
	browsertest.Tab
	portal string
}

func (f *front) newcomer(t *testing.T) newcomer {
	t.Helper()
	n := newcomer{browsertest.New(t), f.URL}
	n.TrustAny()
	n.Do(chromedp.EmulateViewport(1280, 900))
	return n
}

// submit sends the form of a page.
func (n newcomer) submit() {
	n.T.Helper()
	n.Click("main form button.primary")
}

// follow clicks the link of these words, as soon as the page has it.
func (n newcomer) follow(words string) {
	n.T.Helper()
	const find = `(() => { const a = [...document.querySelectorAll("a[href]")].find(a => a.textContent.trim() === %q);
		if (a) { a.setAttribute("data-follow", "") }; return !!a })()`
	testenv.Until(n.T, fmt.Sprintf("the page has a link %q", words), func() bool {
		there, err := chromedp.Run(n.Ctx, chromedp.Evaluate[bool](fmt.Sprintf(find, words)))
		return err == nil && there
	})
	n.Click("a[data-follow]")
}

// step takes a step of the list that an operator begins with.
func (n newcomer) step(words string) {
	n.T.Helper()
	n.follow("Work")
	n.Await("h1", "Work")
	n.follow(words)
	n.Visible("main form button.primary")
}

// secret is what a page shows once, which is then left.
func (n newcomer) secret() string {
	n.T.Helper()
	n.Visible("#secret")
	secret := n.Text("#secret")
	keepSecret(secret)
	n.Click("main .actions a.primary")
	n.Gone("#secret")
	return secret
}

// signIn signs in with a password.
func (n newcomer) signIn(login string) {
	n.T.Helper()
	n.Open(n.portal)
	n.Await("h1", "Sign in")
	n.Write("#login", login)
	n.Write("#password", platformPassword)
	n.submit()
}

// accept begins with an invitation.
func (n newcomer) accept(link string) {
	n.T.Helper()
	if !strings.HasPrefix(link, n.portal+"/invitation/") {
		n.T.Fatalf("the invitation is %s", link)
	}
	keepSecret(strings.TrimPrefix(link, n.portal+"/invitation/"))
	n.Open(link)
	n.Write("#password", platformPassword)
	n.Write("#again", platformPassword)
	n.submit()
}

// enrol adds an authenticator app, and comes to the first page of the portal.
func (n newcomer) enrol(first string) {
	n.T.Helper()
	n.Await("h1", "Set up a second factor")
	n.Click(`a[href="/second-factor/app"]`)
	n.Visible("#code")
	secret := browsertest.Eval[string](n.Tab, `document.querySelector("input[name=secret]").value`)
	keepSecret(secret)
	code, err := totp.GenerateCode(secret, time.Now())
	noError(n.T, err)
	n.Write("#code", code)
	n.submit()
	n.Await("h1", "Recovery codes")
	n.Click("main a.primary")
	n.Await("h1", first)
}

// hour is a platform that its operator fills from nothing, by pages alone.
type hour struct {
	*instance
	*front
	admin newcomer
}

// newHour has nothing but its first operator, whom the command made and who is signed in.
func newHour(t *testing.T) *hour {
	t.Helper()
	keepSecret(platformPassword)
	h := &hour{front: newFront(t)}
	h.instance = empty(t, map[string]string{
		"GATEWAY_PORTAL_URL": h.URL, "GATEWAY_TRUSTED_PROXIES": "127.0.0.1/32", "GATEWAY_FOUR_EYES": "",
		"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "the external payments secret of a first hour",
	})
	h.to(t, h.PortalURL)
	for _, login := range []string{"root", "second"} {
		_, _, err := command(t, platformPassword, map[string]string{"DATABASE_URL": h.DatabaseURL},
			"operator", "create", "-login", login, "-data-dir", t.TempDir())
		noError(t, err)
	}
	h.admin = h.newcomer(t)
	h.admin.signIn("root")
	h.admin.enrol("Work")
	h.admin.Holds("#work", "Nothing waits.")
	h.admin.wantLed()
	return h
}

// wantLed: empty lists say what comes first.
func (n newcomer) wantLed() {
	n.T.Helper()
	for list, says := range map[string]string{
		"Merchants": "New merchant", "Traders": "New trader",
		"Cashboxes":  "A cashbox belongs to a merchant: create it on the merchant’s page. Merchants",
		"Requisites": "A requisite belongs to a trader: create it on the trader’s page. Traders",
	} {
		n.follow(list)
		n.Await("h1", list)
		n.Await("main .empty", "Nothing here yet. "+says)
	}
}

// invites has the operator invite somebody, by the form of a step.
func (h *hour) invites(step, login string) string {
	h.admin.T.Helper()
	h.admin.step(step)
	h.admin.Write("#login", login)
	h.admin.submit()
	return h.admin.secret()
}

// setRate sets 80 RUB for a USDT.
func (h *hour) setRate() {
	h.admin.T.Helper()
	h.admin.step("Set a rate")
	h.admin.Set("#currency", "RUB")
	h.admin.Write("#fiatPerUsdt", "80")
	h.admin.submit()
	h.admin.Await("h1", "Is this right?")
	h.admin.submit()
	h.admin.Await("h1", "Rates")
	h.admin.Holds("tbody", "80")
}

// addMerchant makes the merchant, the cashbox with its method, and invites the merchant's user.
func (h *hour) addMerchant() (invitation string) {
	a := h.admin
	a.T.Helper()
	a.step("Create a merchant")
	a.Write("#name", "Shop")
	a.submit()
	a.Await("h1", "Shop")
	a.step("Create the merchant’s cashbox")
	a.Write("#name", "Shop RUB")
	a.submit()
	if secret := a.secret(); !strings.HasPrefix(secret, "whsec_") {
		a.T.Error("the cashbox's secret is no secret")
	}
	a.Await("h1", "Shop RUB")
	a.follow("SBP transfer")
	a.Visible("#marginPercent")
	a.Write("#marginPercent", "4")
	a.submit()
	a.Visible(".flash")
	return h.invites("Invite the merchant’s user", "shop")
}

// addTrader makes the trader with a requisite, and invites their user.
func (h *hour) addTrader() (invitation string) {
	a := h.admin
	a.T.Helper()
	a.step("Create a trader")
	a.Write("#name", "Trader")
	a.Write("#sharePercent", "2")
	a.submit()
	a.Await("h1", "Trader")
	a.step("Create the trader’s requisite")
	a.Set("#method", "RUB/sbp")
	a.Write("#value", "+7 900 123-45-67")
	a.Write("#holder", "Ivan I.")
	a.submit()
	a.Visible(".flash")
	return h.invites("Invite the trader’s user", "trader")
}

// fund gives the trader 500 USDT, which the second operator approves.
func (h *hour) fund(second newcomer) {
	h.admin.T.Helper()
	h.admin.step("Give the trader USDT")
	h.admin.Write("#amount", "500")
	h.admin.Write("#reference", "first funding")
	h.admin.submit()
	h.admin.Await("h1", "Is this right?")
	h.admin.submit()
	h.admin.Visible(".flash")
	h.admin.Holds("main", "You proposed this")
	second.follow("Work")
	second.follow("Give the trader USDT")
	second.Await("h1", "Approvals")
	second.Click("tr a")
	second.Visible(`form[action$="/approve"] button`)
	second.Click(`form[action$="/approve"] button`)
	second.Visible(".flash")
}

// newKey has the merchant's user make a key, once they have set up a second factor.
func (n newcomer) newKey() sandbox.Cashbox {
	n.T.Helper()
	n.follow("API keys")
	n.Await("h1", "API keys")
	n.Click(".head .primary")
	n.enrol("Overview")
	n.follow("API keys")
	n.Await("h1", "API keys")
	n.Click(".head .primary")
	n.Write("#name", "Web shop")
	n.submit()
	n.Visible("#secret")
	id := browsertest.Eval[string](n.Tab, `document.querySelector("dl.facts .mono").textContent`)
	return sandbox.Cashbox{KeyID: strings.TrimSpace(id), Secret: n.secret()}
}

// From an empty database in production to the first confirmed payment by pages alone: only the first
// operator is made by a command, and payments are created by the merchant's program.
func TestOperatorsFirstHour(t *testing.T) {
	testenv.Long(t, "goes through half a minute of pages")
	t.Parallel()
	h := newHour(t)
	second, shop, trader := h.newcomer(t), h.newcomer(t), h.newcomer(t)
	second.signIn("second")
	second.enrol("Work")
	shopInvited := h.addMerchant()
	traderInvited := h.addTrader()
	h.fund(second)
	shop.accept(shopInvited)
	shop.Await("h1", "Overview")
	key := shop.newKey()

	h.wantNoRate(t, key)
	h.setRate()
	h.admin.follow("Work")
	h.admin.Holds("main .note.good", "Everything is there.")
	made := h.create(t, key, object{"amount": "1664"})
	trader.accept(traderInvited)
	trader.enrol("Desk")
	trader.confirm(made.text("data.id"))
	h.wantPaid(t, made.text("data.id"))
}

// wantNoRate: before there is a rate no payment is made, and the operator's pages say why.
func (h *hour) wantNoRate(t *testing.T, key sandbox.Cashbox) {
	t.Helper()
	a := h.admin
	refused := h.post(t, key, order(object{"amount": "1664"}))
	refused.want(t, "without a rate", http.StatusUnprocessableEntity, "code", "collect_requisites_not_available")
	a.follow("Routing")
	a.Await("h1", "Routing")
	a.Write("#cashboxId", "1")
	a.Write("#amount", "1664")
	a.Set("#method", "sbp")
	a.Set("#currency", "RUB")
	a.Click("form.filters button.primary")
	a.Await(".empty strong", "The currency has no rate yet.")
	a.Click(".empty a")
	a.Await("h1", "Rates")
	a.Holds("tbody", "USDT/RUB")
}

// confirm says that a payment's money has arrived.
func (n newcomer) confirm(id string) {
	n.T.Helper()
	n.Await(".receiving .badge", "Receiving payments")
	n.Click("#job-" + id + " a.sum")
	n.Await("h1", "Payment № "+id)
	n.Click(".actions a.primary")
	n.Await("h1", "Has the money arrived?")
	n.submit()
	n.Visible(".flash")
	n.Holds("#desk", "479.616")
}

// wantPaid looks at a completed payment as its operator does.
func (h *hour) wantPaid(t *testing.T, id string) {
	t.Helper()
	a := h.admin
	a.follow("Work")
	a.Await("h1", "Work")
	a.Holds("#work", "Nothing waits.")
	a.Gone("#first-steps")
	a.follow("Payments")
	a.Await("h1", "Payments")
	a.Click("tr[data-row] a")
	a.Await("h1", "Payment № "+id)
	a.Await(".headline .badge", "Completed")
	a.Holds(".timeline", "Status: Pending → Completed")
	for _, step := range []string{
		"For the merchant: 20.00 USDT", "For the trader: 0.416 USDT", "For the platform: 0.384 USDT", "Held: 20.384 USDT",
	} {
		a.Holds(".timeline", step)
	}
	a.follow("Accounts")
	a.Await("h1", "Accounts")
	// 500 came in. The merchant has 20 of it, the platform 0.384, and the trader what is left.
	for _, owner := range []string{
		"The world outside −500.00000000", "The platform 0.38400000", "Cashbox № 1 Shop, Shop RUB 20.00000000",
		"Trader № 1 Trader 479.61600000",
	} {
		a.Holds("tbody", owner)
	}
	a.follow("Reconciliation")
	a.Await("h1", "Reconciliation")
	a.Await(".head .badge", "The ledger holds")
	h.wantAudit(t)
}
