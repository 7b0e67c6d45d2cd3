package portal_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal"
)

// tab is one in which somebody is signed in at a server.
func (p *person) tab(t testing.TB, address string) browsertest.Tab {
	t.Helper()
	tab := browsertest.New(t)
	if p.cookie() != "" {
		tab.Cookie(address, "session", p.cookie())
	}
	return tab
}

const jobs = `[...document.querySelectorAll("[data-job]")].map(e => e.dataset.job).join(" ")`

// ids are those of payments, as jobs lists them.
func ids(payments ...payment.Payment) string {
	var list []string
	for _, p := range payments {
		list = append(list, fmt.Sprint(p.ID))
	}
	return strings.Join(list, " ")
}

// awaitScript waits until a script gives a value.
func awaitScript(t testing.TB, tab browsertest.Tab, script, want string) {
	t.Helper()
	err := testenv.Eventually(func() error {
		got, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](script))
		if err == nil && got != want {
			err = fmt.Errorf("%s is %q, want %q", script, got, want)
		}
		return err
	})
	noError(t, err)
}

// The desk follows by itself what happens elsewhere, with a chime on a shift, also in a hidden tab,
// and keeps what is being looked at.
func TestDeskIsLive(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	first := b.create(t, "1500")
	tab := p.tab(t, b.server.URL)
	tab.Open(b.server.URL + "/trader")
	tab.Click(`form[action="/trader/shift"] button`)
	tab.Await(".shift > span:not(.dot)", "On shift")
	tab.Click("[data-sound]")
	awaitScript(t, tab, `String(document.querySelector("[data-sound]").hidden)`, "true")
	tab.Focus("#job-1 a.danger")
	second := b.create(t, "1501")
	awaitScript(t, tab, jobs, ids(first, second))
	if focus := browsertest.Eval[string](tab,
		`document.activeElement.getAttribute("href")`); focus != "/trader/payments/1/cancel" {
		t.Errorf("the focus is on %q", focus)
	}
	before := browsertest.Eval[string](tab, `document.documentElement.dataset.chimes || "0"`)
	browsertest.Eval[bool](tab, `Object.defineProperty(document, "hidden", {value: true, configurable: true}),
		document.dispatchEvent(new Event("visibilitychange"))`)
	third := b.create(t, "1502")
	awaitScript(t, tab, jobs, ids(first, second, third))
	want(t, "the hidden tab is titled", browsertest.Eval[string](tab, "document.title"), "(1) Desk · Trader")
	if after := browsertest.Eval[string](tab, `document.documentElement.dataset.chimes || "0"`); after <= before {
		t.Errorf("%s chimes before, %s after", before, after)
	}
	_, err := b.payments.Confirm(t.Context(), b.asTrader(), first.ID)
	noError(t, err)
	awaitScript(t, tab, jobs, ids(second, third))
}

// A desk that one process shows follows what others do, and catches up after its own was restarted.
func TestDeskOverReplicas(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	replica := b.replica(t)
	tab := p.tab(t, replica.URL)
	tab.Open(replica.URL + "/trader")
	first := b.create(t, "1500")
	awaitScript(t, tab, jobs, ids(first))
	replica.stop()
	awaitScript(t, tab, `String(document.getElementById("line").hidden)`, "false")
	second := b.create(t, "1501")
	replica.start(t, b.rooms)
	awaitScript(t, tab, jobs, ids(first, second))
	awaitScript(t, tab, `String(document.getElementById("line").hidden)`, "true")
}

// A desk follows what happens whichever of its scripts comes late.
func TestDeskOnASlowLine(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	tab := p.tab(t, b.server.URL)
	var made []payment.Payment
	p.page(t, "/trader").Find("script").Each(func(i int, script *goquery.Selection) {
		replica := b.replica(t) // from which the browser has nothing yet
		late := script.AttrOr("src", "")
		replica.late.Store(&late)
		tab.Open(replica.URL + "/trader")
		made = append(made, b.create(t, fmt.Sprint(1500+i)))
		awaitScript(t, tab, jobs, ids(made...))
	})
	want(t, "scripts", len(made), 2)
}

// replica is another process of the gateway, as far as portals go, which keeps its port while it is
// down: another test might take it.
type replica struct {
	*httptest.Server
	pages atomic.Pointer[http.Handler]
	// late is the path of what is answered late.
	late atomic.Pointer[string]
	stop func()
}

// lateBy is much longer than scripts take to begin.
const lateBy = 300 * time.Millisecond

func (b *bundle) replica(t *testing.T) *replica {
	t.Helper()
	r := &replica{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		pages := r.pages.Load()
		if pages == nil {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
		if late := r.late.Load(); late != nil && request.URL.Path == *late {
			time.Sleep(lateBy)
		}
		(*pages).ServeHTTP(w, request)
	}))
	r.start(t, b.rooms)
	t.Cleanup(func() { r.stop(); r.Close() })
	return r
}

func (r *replica) start(t *testing.T, rooms portal.Rooms) {
	t.Helper()
	stopping := make(chan struct{})
	rooms.Stopping = stopping
	pages, err := portal.New(rooms)
	noError(t, err)
	r.pages.Store(&pages)
	r.stop = sync.OnceFunc(func() {
		r.pages.Store(nil)
		close(stopping)
		r.CloseClientConnections()
	})
}

// Keys move through the desk and open the confirmation; they never act. They can be switched off.
func TestKeys(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	b.create(t, "1501")
	tab := p.tab(t, b.server.URL)
	tab.Open(b.server.URL + "/trader")
	press := func(key string) {
		browsertest.Eval[bool](
			tab,
			fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`,
				key),
		)
	}
	press("j")
	press("j")
	press("k")
	testenv.Want(t, browsertest.Eval[string](tab, `document.querySelector(".at").id`), "job-1", "at")
	press("?")
	if open := browsertest.Eval[bool](tab, `document.getElementById("keys").open`); !open {
		t.Error("the keys are not shown")
	}
	tab.Click("[data-close]")
	press("c")
	tab.Await("h1", "Has the money arrived?")
	want(t, "a key has acted", b.status(t, pay), "pending")
	p.post(t, "/account/preferences", "zone", "UTC", "language", "", "theme", "system")
	tab.Open(b.server.URL + "/trader")
	press("j")
	if at := browsertest.Eval[bool](tab, `document.querySelector(".at") === null`); !at {
		t.Error("keys that are switched off work")
	}
}

// A passkey is made in the browser, and signs in from then on; without it the password is not enough.
func TestPasskey(t *testing.T) {
	t.Parallel()
	b := setup(t, options{passkeys: true, production: true})
	b.user(t, "owner", caller.Trader, caller.Owner, b.traders[0].ID)
	address := strings.Replace(b.server.URL, "127.0.0.1", "localhost", 1)
	tab := browsertest.New(t)
	browsertest.Call(tab, webauthn.Enable, webauthn.EnableParams{})
	yes := true
	browsertest.Call(
		tab,
		webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: yes, HasUserVerification: yes, IsUserVerified: yes, AutomaticPresenceSimulation: yes,
		}},
	)
	signIn := func() {
		tab.Open(address + "/sign-in?next=/account")
		tab.Type("#login", "owner")
		tab.Type("#password", password)
		tab.Click("main button[type=submit]")
	}
	signIn()
	tab.Await("h1", "Set up a second factor")
	tab.Open(address + "/trader")
	tab.Await("h1", "Set up a second factor") // nothing else opens before
	tab.Click(`a[href="/second-factor/passkey"]`)
	tab.Type("#name", "Laptop")
	tab.Click("form[data-passkey] button")
	tab.Await("h1", "Recovery codes")
	codes := browsertest.Eval[[]string](tab, `[...document.querySelectorAll(".codes li")].map(e => e.textContent)`)
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes", len(codes))
	}
	tab.Open(address + "/trader")
	tab.Await("h1", "Desk")
	tab.Click(`form[action="/sign-out"] button`)
	tab.Await("h1", "Sign in")
	signIn()
	tab.Await("h1", "Second factor")
	tab.Click("form[data-passkey] button")
	tab.Await("h1", "Account")
	for i, wanted := range []int{http.StatusSeeOther, http.StatusUnprocessableEntity} {
		p := b.nobody()
		p.post(t, "/sign-in", "login", "owner", "password", password)
		want(t, fmt.Sprint("use ", i+1), p.post(t, "/second-factor", "code", codes[0]).code, wanted)
	}
}

// Without script a trader signs in, ends a payment and signs out all the same.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "owner", caller.Trader, caller.Owner, b.traders[0].ID)
	pay := b.create(t, "1500")
	tab := browsertest.New(t)
	tab.WithoutScript()
	tab.Open(b.server.URL + "/sign-in")
	tab.Type("#login", "owner")
	tab.Type("#password", password)
	tab.Click("main button[type=submit]")
	tab.Click(fmt.Sprintf("#job-%d a.primary", pay.ID))
	tab.Click("main form button.primary")
	tab.Visible(".flash")
	want(t, "the payment is", b.status(t, pay), "completed")
	tab.Click(`form[action="/sign-out"] button`)
	tab.Visible("#password")
}
