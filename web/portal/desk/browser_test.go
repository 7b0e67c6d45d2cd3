package desk_test

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
	"github.com/chromedp/chromedp"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portals"
)

const jobs = `[...document.querySelectorAll("[data-job]")].map(e => e.dataset.job).join(" ")`

// ids are those of payments, as jobs lists them.
func ids(payments ...payment.Payment) string {
	var list []string
	for _, p := range payments {
		list = append(list, fmt.Sprint(p.ID))
	}
	return strings.Join(list, " ")
}

// The desk follows by itself what happens elsewhere, with a chime on a shift,
// also in a hidden tab, and keeps what is being looked at.
func TestDeskIsLive(t *testing.T) {
	b, p := portaltest.Trader(t)
	first := b.Create(t, "1500")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/trader")
	tab.Await(".receiving .badge", "Receiving payments")
	tab.Click("[data-sound]")
	portaltest.AwaitScript(t, tab, `String(document.querySelector("[data-sound]").hidden)`, "true")
	tab.Focus("#job-1 a.danger")
	second := b.Create(t, "1501")
	portaltest.AwaitScript(t, tab, jobs, ids(first, second))
	testenv.Want(t, browsertest.Eval[string](tab,
		`document.activeElement.getAttribute("href")`), "/trader/payments/1/cancel", "the focus is on")
	before := browsertest.Eval[string](tab, `document.documentElement.dataset.chimes || "0"`)
	browsertest.Eval[bool](tab, `Object.defineProperty(document, "hidden", {value: true, configurable: true}),
		document.dispatchEvent(new Event("visibilitychange"))`)
	third := b.Create(t, "1502")
	portaltest.AwaitScript(t, tab, jobs, ids(first, second, third))
	want(t, "the hidden tab is titled", browsertest.Eval[string](tab, "document.title"), "(1) Desk · Trader")
	after := browsertest.Eval[string](tab, `document.documentElement.dataset.chimes || "0"`)
	testenv.Check(t, after > before, "%s chimes before, %s after", before, after)
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), first.ID))(t)
	portaltest.AwaitScript(t, tab, jobs, ids(second, third))
	testenv.NoError(t, b.Services.Settings.SetBreak(t.Context(), b.AsTrader(), true))
	tab.Await(".receiving .badge", "Paused")
	want(t, "switches", browsertest.Eval[int](tab, `document.querySelectorAll(".receiving").length`), 1)
}

// A desk that one process shows follows what others do, and catches up after
// its own was restarted.
func TestDeskOverReplicas(t *testing.T) {
	b, p := portaltest.Trader(t)
	replica := newReplica(t, b)
	tab := p.Tab(t, replica.URL)
	tab.Open(replica.URL + "/trader")
	first := b.Create(t, "1500")
	portaltest.AwaitScript(t, tab, jobs, ids(first))
	replica.stop()
	portaltest.AwaitScript(t, tab, `String(document.getElementById("line").hidden)`, "false")
	second := b.Create(t, "1501")
	replica.start(t, b.Services)
	portaltest.AwaitScript(t, tab, jobs, ids(first, second))
	portaltest.AwaitScript(t, tab, `String(document.getElementById("line").hidden)`, "true")
}

// A desk follows what happens whichever of its scripts comes late.
func TestDeskOnASlowLine(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	var made []payment.Payment
	p.Page(t, "/trader").Find("script").Each(func(i int, script *goquery.Selection) {
		replica := newReplica(t, b) // from which the browser has nothing yet
		late := script.AttrOr("src", "")
		replica.late.Store(&late)
		tab.Open(replica.URL + "/trader")
		made = append(made, b.Create(t, fmt.Sprint(1500+i)))
		portaltest.AwaitScript(t, tab, jobs, ids(made...))
	})
	want(t, "scripts", len(made), 2)
}

// replica is another process of the gateway, as far as portals go, which keeps
// its port while it is down: another test might take it.
type replica struct {
	*httptest.Server
	pages atomic.Pointer[http.Handler]
	// late is the path of what is answered late.
	late atomic.Pointer[string]
	stop func()
}

// lateBy is much longer than scripts take to begin.
const lateBy = 300 * time.Millisecond

func newReplica(t *testing.T, b *portaltest.Bundle) *replica {
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
	r.start(t, b.Services)
	t.Cleanup(func() { r.stop(); r.Close() })
	return r
}

func (r *replica) start(t *testing.T, services portals.Services) {
	t.Helper()
	stopping := make(chan struct{})
	services.Stopping = stopping
	pages := testenv.Must(portals.New(services))(t)
	r.pages.Store(&pages)
	r.stop = sync.OnceFunc(func() {
		r.pages.Store(nil)
		close(stopping)
		r.CloseClientConnections()
	})
}

// What a trader compares with their bank, and the way to another amount, is cut
// off on no desk. The name of a bank while nobody has paid, and what is told of
// a payout that nobody has taken, are cut where they would take a second line
// of a row, but not on a phone.
func TestDeskCutsNothing(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Exec(t, "update requisite set bank = 'A Bank of a Longer Name'")
	made := b.Create(t, "9876.54")
	testenv.Must(b.Payments.Claim(t.Context(), made.UUID))(t)
	b.Create(t, "1500")
	b.PayOut(t, 1)
	b.Exec(t, "update payin set bank_name = 'A Bank of a Longer Name'")
	tab := p.Tab(t, b.Server.URL)
	for _, width := range []int64{390, 1024, 1280, 1440, 1920} {
		tab.Do(chromedp.EmulateViewport(width, 900))
		for _, language := range []string{"en", "ru"} {
			tab.Open(b.Server.URL + "/trader?lang=" + language)
			tab.Visible(".job.claimed a[href$='?other']")
			all := ".payments .job, .payments .job :is(.what, .whom, .whom *):not(.bank span)"
			if width == 390 {
				all = ".job, .job :is(.what, .whom, .whom *)"
			}
			cut := browsertest.Eval[string](tab, `[...document.querySelectorAll("`+all+`")].filter(e =>
				e.checkVisibility() && !e.closest(".unseen") && e.clientWidth && e.scrollWidth > e.clientWidth).map(e => e.textContent.trim()).join("; ")`)
			want(t, fmt.Sprint("cut at ", width, " in ", language), cut, "")
		}
	}
}

// At a desktop's width payouts stand beside payments, in rows, by what ends
// first and of the bank that is chosen; little time left is said in a word. A
// phone has one column.
func TestDeskColumns(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Create(t, "1500")
	var ids []string
	for i, path := range b.PayOut(t, 3) {
		ids = append(ids, strings.TrimPrefix(path, "/trader/payouts/"))
		b.Exec(t, "update payin set bank_name = $1, expires_at = $2 where uuid = $3", []string{"Near Bank", "Far Bank"}[i%2],
			b.Clock.Now().Add(time.Duration(7-3*i)*time.Minute), ids[i])
	}
	tab := p.Tab(t, b.Server.URL)
	tab.Do(chromedp.EmulateViewport(1440, 900))
	tab.Open(b.Server.URL + "/trader")
	const offers = `[...document.querySelectorAll(".waiting")].map(e => e.id.slice(7) + e.querySelector(".left").innerText.replace(/[\d:\s]+/, " ")).join()`
	left := func(i int) string { return ids[i] + []string{" ", " Soon", " Urgent"}[i] }
	portaltest.AwaitScript(t, tab, offers, left(2)+","+left(1)+","+left(0))
	const beside = `(() => { const [pay, out] = ["#job-1", ".waiting"].map(s => document.querySelector(s).getBoundingClientRect());
		return [Math.abs(pay.top - out.top) < 20 && pay.right < out.left, pay.height <= 56 && out.height <= 56].join() })()`
	want(t, "beside each other, in rows", browsertest.Eval[string](tab, beside), "true,true")
	browsertest.Eval[bool](tab, `(bank => { bank.value = "Near Bank"; return bank.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector("#bank"))`)
	portaltest.AwaitScript(t, tab, offers, left(2)+","+left(0))
	tab.Visible(fmt.Sprintf("#job-%d", b.Create(t, "1501").ID))
	want(t, "after a change", browsertest.Eval[string](tab, offers), left(2)+","+left(0))
	tab.Do(chromedp.EmulateViewport(390, 800))
	want(t, "on a phone", browsertest.Eval[string](tab, beside), "false,false")
}

// Keys move through the desk and open the confirmation; they never act. They
// can be switched off.
func TestKeys(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	b.Create(t, "1501")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/trader")
	press := func(key string) {
		browsertest.Eval[bool](tab,
			fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`, key))
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
	testenv.Want(t, browsertest.Eval[string](tab, `document.activeElement.getAttribute("href")`),
		fmt.Sprintf("/trader/payments/%d/confirm", pay.ID), "focused")
	want(t, "a key has acted", b.Status(t, pay), "pending")
	p.Post(t, "/account/preferences", "zone", "UTC", "language", "", "theme", "system")
	tab.Open(b.Server.URL + "/trader")
	press("j")
	if at := browsertest.Eval[bool](tab, `document.querySelector(".at") === null`); !at {
		t.Error("keys that are switched off work")
	}
}

// What is confirmed in its row can be taken back for five seconds, in which
// nothing is sent. Then it is sent once, and so it is when the page is left
// before. A payment that has ended meanwhile says so in its row, which stays
// until that is read.
func TestConfirmInPlace(t *testing.T) {
	b, p := portaltest.Trader(t)
	var row []string
	var made []payment.Payment
	for i := range 6 {
		made = append(made, b.Create(t, fmt.Sprint(1500+i)))
		row = append(row, fmt.Sprintf("#job-%d ", made[i].ID))
	}
	tab := p.Tab(t, b.Server.URL)
	tab.Before(`sent = []; const real = fetch; fetch = (url, o) => { if (o.method === "POST") sent.push(url); return real(url, o) }
		const seconds = new Map(); let last = 0; // they pass when the test says so
		setInterval = (run) => (seconds.set(++last, run), last); clearInterval = (id) => seconds.delete(id);
		pass = (n) => { while (n--) [...seconds.values()].forEach((run) => run()) }`)
	tab.Open(b.Server.URL + "/trader")
	sent := func() int { return browsertest.Eval[int](tab, "sent.length") }
	pass := func(seconds int) { browsertest.Eval[bool](tab, fmt.Sprintf("pass(%d), true", seconds)) }
	tab.Click(row[0] + "a.primary")
	tab.Await(row[0]+".said", "ConfirmedUndo (5)")
	pass(4)
	tab.Await(row[0]+".said", "ConfirmedUndo (1)")
	tab.Click(row[0] + ".said button")
	tab.Gone(row[0] + ".said")
	pass(10)
	want(t, "after undo", fmt.Sprintln(sent(), b.Status(t, made[0])), "0 pending\n")

	tab.Click(row[0] + "a.primary")
	pass(10)
	tab.Gone(row[0])
	want(t, "after five seconds", fmt.Sprintln(sent(), b.Status(t, made[0])), "1 completed\n")

	tab.Click(row[1] + "a.primary")
	tab.Await(row[1]+".said", "ConfirmedUndo (5)")
	testenv.Must(b.Payments.Cancel(t.Context(), b.AsTrader(), made[1].ID, nil))(t)
	b.Confirm(t, made[2]) // the desk is shown anew
	browsertest.Eval[bool](tab, `htmx.trigger(document.body, "changed")`)
	tab.Gone(row[2])
	pass(5)
	tab.Holds(row[1]+".said", "It has changed meanwhile: nothing was done.")
	tab.Click(row[1] + ".said button")
	tab.Gone(row[1])
	want(t, "it ended otherwise", fmt.Sprintln(sent(), b.Status(t, made[1])), "2 cancelled\n")

	portaltest.AwaitScript(t, tab, `String(!!navigator.serviceWorker.controller)`, "true")
	tab.Click(row[3] + "a.primary")
	tab.Await(row[3]+".said", "ConfirmedUndo (5)")
	want(t, "a page that comes back offers undo", browsertest.Eval[bool](tab,
		`dispatchEvent(new Event("pagehide")), !document.querySelector(".said button").hidden`), false)
	tab.Gone(row[3])
	for i, lost := range []string{"fetch", "ServiceWorker.prototype.postMessage"} { // either way of the two is enough
		p := 4 + i
		tab.Click(row[p] + "a.primary")
		tab.Await(row[p]+".said", "ConfirmedUndo (5)")
		browsertest.Eval[bool](tab, lost+" = () => new Promise(() => {}), true")
		tab.Open(b.Server.URL + "/trader/payments")
		testenv.Until(t, "it is settled when the page is left, without "+lost, func() bool { return b.Status(t, made[p]) == "completed" })
		tab.Open(b.Server.URL + "/trader")
	}
	want(t, "settled", b.Count(t, "select count(*) from payment where status = 'completed'"), 5)
	b.Audit(t)
}

// What was confirmed is sent before whoever confirmed it is signed out; they
// are not while they have to read that nothing was done.
func TestConfirmedIsSentBeforeSigningOut(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	leaves := func(made payment.Payment, meanwhile func()) (row string) {
		row = fmt.Sprintf("#job-%d ", made.ID)
		tab.Open(b.Server.URL + "/trader")
		tab.Click(row + "a.primary")
		tab.Await(row+".said", "ConfirmedUndo (5)")
		meanwhile()
		tab.Click("form[action='/sign-out'] button")
		return row
	}
	ended, made := b.Create(t, "1500"), b.Create(t, "1600")
	row := leaves(ended, func() { testenv.Must(b.Payments.Cancel(t.Context(), b.AsTrader(), ended.ID, nil))(t) })
	tab.Holds(row+".said", "It has changed meanwhile: nothing was done.")
	leaves(made, func() {})
	tab.Await("h1", "Sign in")
	want(t, "settled", b.Status(t, made), "completed")
}

// Where nothing comes back after a confirmation, or a proxy answers in place of
// the gateway, the row says that it is not known whether it was confirmed.
func TestConfirmationIsLost(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	tab.Before(`lost = (o) => new Promise((_, no) => o.signal?.addEventListener("abort", () => no(o.signal.reason)));
		const soon = AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = () => soon(50)`)
	for i, answer := range []string{
		"lost(o)", `Promise.resolve(new Response("no healthy upstream", { status: 503, headers: { "Content-Type": "text/plain" } }))`,
	} {
		row := fmt.Sprintf("#job-%d ", b.Create(t, fmt.Sprint(1500+i)).ID)
		tab.Open(b.Server.URL + "/trader")
		browsertest.Eval[bool](tab, fmt.Sprintf(`(real => fetch = (url, o) => o?.method === "POST" ? %s : real(url, o))(fetch), true`, answer))
		tab.Click(row + "a.primary")
		tab.Click("form[action='/sign-out'] button")
		tab.Holds(row+".said", "It is not known whether this was confirmed.")
	}
}

// Browsers of before 2022 and 2024, such as of phones that stay with iOS 15,
// lack what sends a form by script and what says whether an element is shown.
// There, too, payouts are kept to a bank, a key leads to the search, and a form
// is sent after what was confirmed.
func TestOldBrowser(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.PayOut(t, 1)
	b.Exec(t, "update payin set bank_name = 'Near Bank'")
	tab := p.Tab(t, b.Server.URL)
	tab.Do(chromedp.EmulateViewport(1280, 800))
	tab.Before(`delete HTMLFormElement.prototype.requestSubmit; delete SubmitEvent.prototype.submitter`)
	tab.Open(b.Server.URL + "/trader")
	browsertest.Eval[bool](tab, `(() => {
		const shown = Element.prototype.checkVisibility; // the test itself asks by it
		delete Element.prototype.checkVisibility;
		document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}));
		Element.prototype.checkVisibility = shown;
		return true;
	})()`)
	want(t, "the key leads to", browsertest.Eval[string](tab, "document.activeElement.type"), "search")
	tab.Visible("#bank")
	browsertest.Eval[bool](tab, `(bank => { bank.value = "Near Bank"; return bank.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector("#bank"))`)
	portaltest.AwaitScript(t, tab, "location.search", "?bank=Near+Bank")
	made := b.Create(t, "1600")
	tab.Click(fmt.Sprintf("#job-%d a.primary", made.ID))
	tab.Click("form[action='/sign-out'] button")
	tab.Await("h1", "Sign in")
	want(t, "settled", b.Status(t, made), "completed")
}

// What the worker keeps for when there is no connection has nobody's name and
// menu in it, and what an older worker kept is gone.
func TestOfflinePageIsNobodys(t *testing.T) {
	b, p := portaltest.Trader(t)
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/app-192.png") // a page without the worker
	browsertest.Eval[bool](tab, `caches.open("older").then(() => true)`)
	tab.Open(b.Server.URL + "/trader")
	portaltest.AwaitScript(t, tab, `String(!!navigator.serviceWorker.controller)`, "true")
	got := browsertest.Eval[string](tab, `caches.match("/offline").then((found) => found.text()).then(async (text) => {
		const page = new DOMParser().parseFromString(text, "text/html");
		const left = [...page.querySelectorAll("nav a, form")].map((e) => e.outerHTML);
		return [page.querySelector("h1")?.textContent, (await caches.keys()).includes("older"), ...left].join(" | ");
	})`)
	want(t, "kept", got, "You are offline | false")
}

// Without script a trader signs in, ends a payment and signs out all the same.
func TestWithoutScript(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "owner", caller.Trader, caller.Owner, b.Traders[0].ID)
	pay := b.Create(t, "1500")
	tab := browsertest.New(t)
	tab.WithoutScript()
	tab.Open(b.Server.URL + "/sign-in")
	tab.Type("#login", "owner")
	tab.Type("#password", portaltest.Password)
	tab.Click("main button[type=submit]")
	tab.Click(fmt.Sprintf("#job-%d a.primary", pay.ID))
	tab.Click("main form button.primary")
	tab.Visible(".flash")
	want(t, "the payment is", b.Status(t, pay), "completed")
	tab.Click(`form[action="/sign-out"] button`)
	tab.Visible("#password")
}
