package pay_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gateway.example/internal/payment"
)

// The result comes without anybody doing anything: shown, spoken, and in the title.
func TestResultAppears(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p) + "?lang=ru")
	page.Await(".amount", "1 500 ₽")
	noError(t, b.confirm(t.Context(), p))
	page.Await("h1", "Оплата получена")
	page.Await("#live", "Оплата получена. 1 500 ₽. Ваш перевод пришёл. Можно закрыть страницу и вернуться в магазин.")
	if title := page.Text("title"); title != "Оплата получена – Merchant" {
		t.Error(title)
	}
}

// The page counts down on its own, and by the payer's clock says until when.
func TestCountdown(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	page.Await(".left .unseen:not([hidden])", "Time left:")
	if left := page.Text("[data-left]"); left != "15:00" && left != "14:59" {
		t.Errorf("%s are left", left)
	}
	// A quarter of an hour from the browser's now, whatever the server's clock says.
	want := eval[string](page, `(() => { const at = new Date(Date.now() + 15 * 60000);
		return "Pay before " + [at.getHours(), at.getMinutes()].map(part => String(part).padStart(2, "0")).join(":") + " (UTC)" })()`)
	before := eval[string](page, `(() => { const at = new Date(Date.now() + 14 * 60000);
		return "Pay before " + [at.getHours(), at.getMinutes()].map(part => String(part).padStart(2, "0")).join(":") + " (UTC)" })()`)
	if got := page.Text("time"); got != want && got != before {
		t.Errorf("%s, want %s", got, want)
	}
	// What the server says is left counts more than what was counted.
	b.clock.Advance(14*time.Minute + 20*time.Second)
	page.Await("#live", "Less than a minute left to pay.")
	if left := page.Text("[data-left]"); !strings.HasPrefix(left, "0:") {
		t.Errorf("%s are left", left)
	}
	b.clock.Advance(time.Minute)
	page.Await("h1", "The time to pay is over")
	_, err := b.payments.Expire(context.Background())
	noError(t, err)
	if b.status(t, p) != "failed" {
		t.Error("not expired")
	}
	// Who had sent the money late is told of it on the same page.
	b.set(t, p, "completed", nil)
	page.Await("h1", "Payment received")
}

func TestCopy(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "card")
	page.Open(b.server.URL + b.path(p))
	// Headless browsers share one clipboard; what goes there is caught on the way.
	eval[bool](page, `(navigator.clipboard.writeText = async text => { window.copied = text }, true)`)
	for id, want := range map[string]string{"amount": "1500", "value": *p.RequisiteValue} {
		page.Click("#copy-" + id)
		page.Await("#copy-"+id, "Copied")
		if got := eval[string](page, "window.copied"); got != want {
			t.Errorf("copied %q, want %q", got, want)
		}
		page.Await("#live", "Copied")
		page.Await("#copy-"+id, "Copy")
	}
	// Without a clipboard of the new kind the old one does.
	eval[bool](
		page,
		`(navigator.clipboard.writeText = () => Promise.reject(), document.execCommand = () => { window.copied = "old " + document.activeElement.value }, true)`,
	)
	page.Click("#copy-value")
	page.Await("#copy-value", "Copied")
	if got := eval[string](page, "window.copied"); got != "old "+*p.RequisiteValue {
		t.Errorf("copied %q", got)
	}
}

func TestCancelInBrowser(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p) + "?lang=tr")
	page.Click("a.quiet")
	page.Await("h1", "Bu ödeme iptal edilsin mi?")
	page.Click("a.button")
	page.Await("h1", "Tam olarak bu tutarı gönderin 1.500 ₽")
	page.Click("a.quiet")
	page.Await("h1", "Bu ödeme iptal edilsin mi?")
	page.Click("form button")
	page.Await("h1", "Ödeme iptal edildi")
	if b.status(t, p) != "cancelled" {
		t.Error(b.status(t, p))
	}
}

// Everything but copying and counting down works without script, and so does the choice of a
// language.
func TestBrowserWithoutScript(t *testing.T) {
	t.Parallel()
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
	noError(t, b.confirm(t.Context(), p))
	page.Await("h1", "Төлбөрийг хүлээн авлаа")
}

func TestLanguageSwitch(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	// By keyboard: the menu is the first thing to reach; Escape closes it and stays there.
	page.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	if !eval[bool](page, `document.querySelector(".languages").open`) {
		t.Fatal("the menu did not open")
	}
	page.Do(chromedp.KeyEvent(kb.Escape))
	if eval[bool](page, `document.querySelector(".languages").open`) ||
		eval[string](page, "document.activeElement.tagName") != "SUMMARY" {
		t.Error("Escape did not close the menu")
	}
	page.Do(
		chromedp.KeyEvent(kb.Enter),
		chromedp.KeyEvent(kb.Tab),
		chromedp.KeyEvent(kb.Tab),
		chromedp.KeyEvent(kb.Enter),
	)
	page.Await("h2", "Как оплатить")
	page.Open(b.server.URL + b.path(p))
	page.Await("h2", "Как оплатить")
}

// A page that loses its connection says so, keeps what it shows, and goes on when it is back. What
// the payer says meanwhile is sent then.
func TestOffline(t *testing.T) {
	t.Parallel()
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

// A page that waits asks once and is answered when there is something new: soon, by whomever it comes
// and however many wait, and never for longer than a question is held.
func TestWaitingForNews(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	transfer, card := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")
	// The time goes by for the gateway, too: else the page would have to be told that it does not.
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Second):
				b.clock.Advance(time.Second)
			}
		}
	}()
	for _, test := range []struct {
		p    payment.Payment
		news func()
	}{
		{transfer, func() { b.post(t, b.path(transfer)+"/paid") }},
		{transfer, func() { noError(t, b.confirm(t.Context(), transfer)) }},
		{card, func() { b.payWith(t, card, codeCard) }},
		{card, func() { b.answers(t) }},
		{card, func() { b.clock.Advance(20 * time.Minute) }}, // the time is over
	} {
		version := versionOf(t, b.ask(t, http.MethodGet, b.path(test.p)+"/status"))
		answers := make(chan string, 3)
		began := time.Now()
		for range 3 {
			go func() {
				answers <- versionOf(t, b.ask(t, http.MethodGet, b.path(test.p)+"/status?wait=1&version="+url.QueryEscape(version)))
			}()
		}
		select {
		case <-answers:
			t.Fatal("answered although there is nothing new")
		case <-time.After(2 * time.Second):
		}
		test.news()
		for range 3 {
			if got := <-answers; got == version {
				t.Errorf("the answer is what was known: %s", got)
			}
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("it took %s to hear of it", took)
		}
		// Who shows something old is answered at once.
		began = time.Now()
		versionOf(t, b.ask(t, http.MethodGet, b.path(test.p)+"/status?wait=1&version=old"))
		if time.Since(began) > time.Second {
			t.Error("who shows something old has to wait")
		}
	}
}

func versionOf(t testing.TB, a answer) string {
	var status struct{ Version string }
	if err := json.Unmarshal([]byte(a.body), &status); err != nil || a.code != http.StatusOK {
		t.Errorf("%d %s: %v", a.code, a.body, err)
	}
	return status.Version
}

// On a slow line, where a question and its answer take four seconds, a page is seen after one of them:
// it waits for no stylesheet.
func TestFirstPaint(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	page.Slow(4 * time.Second)
	for _, pool := range [][2]string{{"RUB", "sbp"}, {"AZN", "quasi_ecom"}} {
		page.Open(b.server.URL + b.path(b.create(t, pool[0], pool[1])))
		painted := eval[float64](
			page,
			`new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime))
			.observe({type: "paint", buffered: true}))`,
		)
		// A second question would make it eight: a machine that is busy besides has the time between.
		if painted < 4000 || painted > 7500 {
			t.Errorf("%s is seen after %.0f ms", pool[1], painted)
		}
	}
}

// An open page costs few questions: those that are held.
func TestFewQuestions(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	page.Open(b.server.URL + b.path(b.create(t, "RUB", "sbp")))
	for range 12 {
		time.Sleep(time.Second)
		b.clock.Advance(time.Second)
	}
	asked := eval[int](page, `performance.getEntriesByType("resource").filter(r => r.name.includes("/status")).length`)
	if asked > 1 {
		t.Errorf("%d questions in 12 seconds, and the second is still held", asked)
	}
}

// The keyboard goes through the page in the order it is read in.
func TestKeyboardOrder(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	for _, want := range []string{"Language: English", "Copy", "Copy", "Copy all details", "I have paid", "Cancel payment"} {
		page.Do(chromedp.KeyEvent(kb.Tab))
		if got := eval[string](page, `document.activeElement.textContent.replace(/\s+/g, " ").trim()`); got != want {
			t.Errorf("reached %q, want %q", got, want)
		}
	}
}
