package pay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// The page counts down on its own, and by the payer's clock says until when.
func TestCountdown(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Timed()
	page.Open(b.server.URL + b.path(p))
	page.Await(".left .unseen:not([hidden])", "Time left:")
	page.Await("[data-left]", "15:00")
	// A quarter of an hour from the browser's now, whatever the server's
	// clock says.
	page.Await("time", eval[string](page, `(() => { const at = new Date(Date.now() + 15 * 60000);
		return "Pay before " + [at.getHours(), at.getMinutes()].map(part => String(part).padStart(2, "0")).join(":") + " (UTC)" })()`))
	page.Pass(2 * time.Second)
	page.Await("[data-left]", "14:58")
	// What the server says is left counts more than what was counted.
	b.clock.Advance(14*time.Minute + 20*time.Second)
	page.passes("#live", "Less than a minute left to pay.")
	left := page.Text("[data-left]")
	testenv.Check(t, strings.HasPrefix(left, "0:"), "%s are left", left)
	b.clock.Advance(time.Minute)
	page.passes("h1", "The time to pay is over")
	testenv.Must(b.payments.Expire(context.Background()))(t)
	want(t, "not expired", b.status(t, p), "failed")
	// Who had sent the money late is told of it on the same page, and in
	// its title.
	b.set(t, p, "completed", nil)
	page.passes("h1", "Payment received")
	want(t, "the title", page.Text("title"), "Payment received – Merchant")
}

func TestCopy(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "card")
	page.Timed()
	page.Open(b.server.URL + b.path(p))
	// Headless browsers share one clipboard; what goes there is caught on
	// the way.
	eval[bool](page, `(navigator.clipboard.writeText = async text => { window.copied = text }, true)`)
	for id, wanted := range map[string]string{"amount": "1500", "value": *p.RequisiteValue} {
		page.Click("#copy-" + id)
		page.Await("#copy-"+id, "Copied")
		want(t, "copied", eval[string](page, "window.copied"), wanted)
		page.Await("#live", "Copied")
		page.Pass(2 * time.Second)
		page.Await("#copy-"+id, "Copy")
	}
	// Without a clipboard of the new kind the old one does.
	eval[bool](
		page,
		`(navigator.clipboard.writeText = () => Promise.reject(), document.execCommand = () => { window.copied = "old " + document.activeElement.value }, true)`,
	)
	page.Click("#copy-value")
	page.Await("#copy-value", "Copied")
	want(t, "copied", eval[string](page, "window.copied"), "old "+*p.RequisiteValue)
}

// Everything but copying and counting down works without script, and so does
// the choice of a language.
func TestBrowserWithoutScript(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.WithoutScript()
	p := b.create(t, "MNT", "iban")
	page.Open(b.server.URL + b.path(p))
	page.Await("[data-left]", "15 minutes left")
	page.Click(".languages summary")
	page.Click(".languages a[lang=mn]")
	page.Await("[data-left]", "15 минут үлдлээ")
	page.Await("time", "Төлөх хугацаа: 20:15 (UTC+8) хүртэл")
	page.Open(b.server.URL + b.path(p))
	page.Await("[data-left]", "15 минут үлдлээ") // remembered
	page.Click("form .button")
	page.Await("h1", "Таны шилжүүлэг замдаа байна")
	// And the result comes by itself.
	testenv.NoError(t, b.confirm(t.Context(), p))
	page.refreshed()
	page.Await("h1", "Төлбөрийг хүлээн авлаа")
}

// A page that loses its connection says so, keeps what it shows, and goes on
// when it is back. What the payer says meanwhile is sent then.
func TestOffline(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	eval[bool](
		page,
		`(window.kept = window.fetch, window.fetch = () => Promise.reject(new TypeError("offline")), dispatchEvent(new Event("offline")))`,
	)
	page.Await("#live", "No connection. Trying again…")
	page.Click("form .button")
	page.Await("#live", "No connection. That you have paid is sent as soon as it is back.")
	page.Await(".ask .amount", "1,500 ₽")
	if now, err := b.payments.ByUUID(t.Context(), p.UUID); err != nil || now.ClaimedAt != nil {
		t.Fatalf("claimed without a connection; %v", err)
	}
	eval[bool](page, `(window.fetch = window.kept, dispatchEvent(new Event("online")))`)
	page.Await("h1", "Your transfer is on its way")
	if now, err := b.payments.ByUUID(t.Context(), p.UUID); err != nil || now.ClaimedAt == nil {
		t.Errorf("the claim was lost; %v", err)
	}
}

// A page that waits asks once and is answered when there is something new, by
// whomever it comes and however many wait, and not before. Whoever shows
// something old is answered at once.
func TestWaitingForNews(t *testing.T) {
	b := setup(t, false)
	b.clock.Run() // a clock that stands while time passes is news of the time that is left
	claimed, paid, carded, answered, over := b.create(t, "RUB", "sbp"), b.create(t, "RUB", "sbp"),
		b.create(t, "AZN", "quasi_ecom"), b.create(t, "TRY", "quasi_ecom"), b.create(t, "RUB", "card")
	b.payWith(t, answered, codeCard)
	waits := []struct {
		p       payment.Payment
		news    func()
		version string
		answers chan string
	}{
		{p: claimed, news: func() { b.post(t, b.path(claimed)+"/paid") }},
		{p: paid, news: func() { testenv.NoError(t, b.confirm(t.Context(), paid)) }},
		{p: carded, news: func() { b.payWith(t, carded, approvedCard) }},
		{p: answered, news: func() { testenv.NoError(t, b.checkouts.Poll(t.Context())) }},
		{p: over, news: func() { b.clock.Advance(20 * time.Minute) }},
	}
	b.clock.Advance(time.Second) // so that the acquirer may be asked
	status := func(p payment.Payment, query string) string {
		return versionOf(t, b.ask(t, b.path(p)+"/status"+query))
	}
	for i := range waits {
		wait := &waits[i]
		wait.version, wait.answers = status(wait.p, ""), make(chan string, 3)
		for range cap(wait.answers) {
			go func() { wait.answers <- status(wait.p, "?wait=1&version="+url.QueryEscape(wait.version)) }()
		}
	}
	// A question that would be held wrongly is answered after all others
	// are.
	for _, wait := range waits {
		status(wait.p, "?wait=1&version=old")
	}
	for i, wait := range waits {
		for _, later := range waits[i:] {
			testenv.Need(t, len(later.answers) == 0, "answered although there is nothing new")
		}
		wait.news()
		for range cap(wait.answers) {
			got := <-wait.answers
			testenv.Check(t, got != wait.version, "the answer is what was known: %s", got)
		}
	}
}

func versionOf(t testing.TB, a answer) string {
	var status struct{ Version string }
	if err := json.Unmarshal([]byte(a.Body), &status); err != nil || a.Code != http.StatusOK {
		t.Errorf("%d %s: %v", a.Code, a.Body, err)
	}
	return status.Version
}

// A page is seen after one question and its answer, which take seconds on a
// slow line: it waits for no stylesheet.
func TestFirstPaint(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	for _, pool := range [][2]string{{"RUB", "sbp"}, {"AZN", "quasi_ecom"}} {
		page.Open(b.server.URL + b.path(b.create(t, pool[0], pool[1])))
		const blocking = `performance.getEntriesByType("resource").filter(r => r.renderBlockingStatus !== "non-blocking")
			.map(r => "waits for " + r.name)`
		page.Finds(pool[1], blocking)
	}
}

// An open page costs few questions: those that are held.
func TestFewQuestions(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	b.clock.Run() // a clock that stands while time passes is news of the time that is left
	page.Timed()
	page.Open(b.server.URL + b.path(b.create(t, "RUB", "sbp")))
	for range 4 {
		page.Pass(3 * time.Second)
		// A question that is not held would be answered before this
		// one.
		eval[bool](page, `fetch(document.querySelector("main").dataset.status).then(() => true)`)
	}
	answered := eval[int](page, `performance.getEntriesByType("resource").filter(r => r.name.includes("wait=1")).length`)
	want(t, "questions were answered, and not held", answered, 0)
}

// The keyboard goes through the page in the order it is read in. The menu of
// languages is the first thing to reach: Escape closes it and stays there, it
// covers nothing once the keyboard has left it, and what is chosen is
// remembered.
func TestKeyboard(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	wantAt := func(open bool, at string) {
		t.Helper()
		page.Await("title", page.Text("title")) // keys pressed before have done what they do
		got := eval[string](page, `document.querySelector(".languages").open + " " +
			document.activeElement.textContent.replace(/\s+/g, " ").trim()`)
		want(t, "menu and focus", got, fmt.Sprint(open, " ", at))
	}
	for _, want := range []string{"Language: English", "Copy", "Copy", "Copy all details", "I have paid", "Send me this link", "Cancel payment"} {
		page.Keys(kb.Tab)
		wantAt(false, want)
	}
	page.Focus(".languages summary")
	page.Keys(kb.Enter)
	wantAt(true, "Language: English")
	page.Keys(kb.Escape)
	wantAt(false, "Language: English")
	page.Keys(kb.Enter + strings.Repeat(kb.Tab, 8)) // through seven languages, and out
	wantAt(false, "Copy")
	page.Focus(".languages summary")
	page.Keys(kb.Enter + kb.Tab + kb.Tab + kb.Enter)
	page.Await("h2", "Как оплатить")
	page.Open(b.server.URL + b.path(p))
	page.Await("h2", "Как оплатить")
}

// tab is a page in the browser, with what only these tests do in it.
type tab struct{ browsertest.Tab }

func newTab(t testing.TB) tab {
	t.Helper()
	return tab{browsertest.New(t)}
}

func eval[T any](b tab, script string) T {
	b.T.Helper()
	return browsertest.Eval[T](b.Tab, script)
}

// asksEvery is after how long a page asks again that waits for its payer.
const asksEvery = 3 * time.Second

// passes has time pass for a timed page until an element says something.
func (b tab) passes(selector, want string) {
	b.T.Helper()
	testenv.Until(b.T, selector+" says "+want, func() bool {
		b.Pass(asksEvery / 10)
		return b.Text(selector) == want
	})
}

// The main paths in another browser: a transfer, and a card whose bank asks for
// a code.
func TestFirefox(t *testing.T) {
	testenv.Long(t, "another browser takes long to start")
	b, page := setup(t, false), browsertest.NewFirefox(t)
	transfer := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(transfer) + "?lang=ru")
	page.Await(".ask .amount", "1 500 ₽")
	page.Click("form .button")
	page.Await("#live", "Перевод в пути. 1 500 ₽. Обычно он приходит за несколько минут. Результат появится здесь сам: "+
		"оставьте страницу открытой или вернитесь к ней позже. Пожалуйста, не переводите деньги ещё раз.")
	testenv.NoError(t, b.confirm(t.Context(), transfer))
	page.Await("h1", "Оплата получена")

	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")) + "?lang=en")
	page.Type("#pan", codeCard)
	page.Type("#expiry", "1230")
	page.Type("#cvv", "123")
	page.Await(".brand", "Visa")
	page.Click("form .button")
	page.Await("h1", "Your bank is checking the card")
	b.answers(t)
	page.Await("h1", "Enter the code from your bank")
	page.Type("#otp", "123456")
	page.Click("form .button")
	page.Await("h1", "Payment received")
}
