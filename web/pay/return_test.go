package pay_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/chromedp/chromedp"

	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// returning makes a payment that leads back to an address of the shop.
func (b *bundle) returning(t *testing.T, method, to string) payment.Payment {
	t.Helper()
	return b.create(t, "RUB", method, func(r *payment.Request) { r.ReturnURL = &to })
}

// Every ending leads back to the shop, with the payment and its status in the
// query; what waits does not.
func TestReturn(t *testing.T) {
	b := setup(t, false)
	const shop = "https://shop.example/thanks?order=7&status=mine"
	for _, method := range []string{"sbp", "mtstpay"} {
		for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
			p := b.returning(t, method, shop)
			want(t, "a payment that waits leads away", b.page(t, b.path(p)).Find("a[target]").Length(), 0)
			b.set(t, p, status, nil)
			button := b.page(t, b.path(p)).Find("a.button")
			to := testenv.Must(url.Parse(button.AttrOr("href", "")))(t)
			wanted := url.Values{"order": {"7"}, "paymentUuid": {p.UUID.String()}, "status": {status}}
			want(t, method, line(to.Host+to.Path, to.Query().Encode(), words(button)),
				line("shop.example/thanks", wanted.Encode(), "Back to the shop"))
			_, leads := button.Attr("data-leads")
			want(t, status+": the page leads back by itself", leads, status == "completed")
		}
	}
	want(t, "a payment without an address leads somewhere",
		b.page(t, b.path(b.create(t, "RUB", "sbp"))).Find(`[href*="shop.example"]`).Length(), 0)
}

// shop is a page of a shop's, which says what it was opened with, or shows a
// payment's page in a frame and what that tells it.
func shop(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if framed := r.URL.Query().Get("frame"); framed != "" {
			fmt.Fprintf(w, `<h1>Shop</h1><p id=told></p><iframe src=%q width=360 height=400></iframe><script>
				addEventListener("message", e => told.textContent += e.data.type + " " + (e.data.status || e.data.height > 300) + " " + e.origin + ";")
				</script>`, framed)
			return
		}
		fmt.Fprintf(w, "<h1>Thanks</h1><p>%s</p>", r.URL.Query().Get("status"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Unless the shop wants it otherwise, a paid page leads back by itself: it
// counts the seconds, and does not do it to whoever stays.
func TestLeadsBack(t *testing.T) {
	b, page := setup(t, true), newTab(t)
	page.Timed()
	to := shop(t)
	left, stayed, failed := b.returning(t, "sbp", to), b.returning(t, "sbp", to), b.returning(t, "sbp", to)
	page.Open(b.server.URL + b.path(left))
	testenv.NoError(t, b.confirm(t.Context(), left))
	page.Pass(asksEvery)
	page.Await("h1", "Payment received")
	page.Await(".leads .hint", "You will be taken back to the shop in 5 seconds.")
	page.Pass(2 * time.Second)
	page.Await(".leads .hint", "You will be taken back to the shop in 3 seconds.")
	want(t, "left too early", page.leavesWithin(3*time.Second-time.Millisecond), false)
	page.Pass(time.Millisecond)
	page.Await("h1", "Thanks")
	page.Await("p", "completed")

	testenv.NoError(t, b.confirm(t.Context(), stayed))
	b.set(t, failed, "failed", nil)
	for _, p := range []payment.Payment{stayed, failed} {
		page.Open(b.server.URL + b.path(p))
		if p.ID == stayed.ID {
			page.Click("[data-stay]")
		}
		want(t, "the page left somebody who stays, or one whose payment failed", page.leavesWithin(6*time.Second), false)
	}
	page.Click("a.button")
	page.Await("p", "failed")

	b.change(t, directory.CashboxUpdate{ID: b.box(t, "RUB").CashboxID, ReturnAutomatic: ptr(false)})
	want(t, "a shop that wants it otherwise is led to", b.page(t, b.path(stayed)).Find("[data-leads]").Length(), 0)
}

// leavesWithin has time pass, and tells whether the page has begun to go to
// another one.
func (b tab) leavesWithin(d time.Duration) bool {
	b.T.Helper()
	eval[bool](b, `(navigation.addEventListener("navigate", () => { window.left = true }), true)`)
	b.Pass(d)
	return eval[bool](b, "!!window.left")
}

// A page in a shop's frame tells the shop its height and the result, and nobody
// else.
func TestTellsTheFrame(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	around := shop(t)
	// An operator can set an https origin alone; the test's shop has none.
	b.Exec(t, "alter table cashbox drop constraint cashbox_frame_origin_check")
	b.Exec(t, "update cashbox set frame_origin = $1 where id = $2", around, b.box(t, "RUB").CashboxID)
	p := b.create(t, "RUB", "sbp")
	page.Open(around + "?frame=" + url.QueryEscape(b.server.URL+b.path(p)))
	told := func(what string) {
		t.Helper()
		page.Holds("#told", what+" "+b.server.URL)
	}
	told("payment.height true")
	testenv.NoError(t, b.confirm(context.Background(), p))
	told("payment.result completed")
}

// The script finds mistakes before anything is sent, keeps what was typed, and
// says so in the title; another language keeps it, too.
func TestMistakesBeforeSending(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "AZN", "quasi_ecom")
	page.Open(b.server.URL + b.path(p))
	page.Type("#pan", "4242 4242 4242 4241")
	page.Type("#expiry", "1020")
	page.Type("#cvv", "12")
	page.Click("form .button")
	page.Await("#pan-error", "Check the number: there is a mistake in it.")
	page.Await("#expiry-error", "This card has expired. Please use another one.")
	page.Await("#cvv-error", "Enter the 3 or 4 digits of the CVV.")
	want(t, "the payer is led to", eval[string](page, "document.activeElement.id"), "pan")
	title := page.Text("title")
	testenv.Check(t, strings.HasPrefix(title, "Error: "), "the title is %q", title)
	page.Keys(kb.End + kb.Backspace + "2")
	page.Await("#pan-error", "(none)") // as soon as it is right
	page.Click(".languages summary")
	page.Click(".languages a[lang=ru]")
	page.Await(".ask .label", "Сумма к оплате")
	want(t, "left is", page.value("#pan")+"|"+page.value("#cvv"), "4242 4242 4242 4242|12")
	want(t, "a wrong card was sent", b.attempts(t, p), 0)
	// Without a script the server finds them, and the page may be loaded
	// again.
	page.WithoutScript()
	page.Open(b.server.URL + b.path(p) + "?lang=en")
	page.Type("#expiry", "1230")
	page.Click("form .button")
	for range 2 {
		page.Await("#pan-error", "Enter the number of your card.")
		at := eval[string](page, "location.search")
		testenv.Check(t, strings.Contains(at, "wrong="), "the page is at %q", at)
		want(t, "the date is", page.value("#expiry"), "1230")
		page.Do(chromedp.Reload())
	}
}

// Long names do not fill the screen, and nobody has to guess the rest of them.
func TestLongNames(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	order := strings.Repeat("A", 250)
	p := b.create(t, "RUB", "sbp", func(r *payment.Request) {
		r.OrderID, r.Description = order, ptr(strings.Repeat("Очень длинное имя ", 14))
	})
	page.Open(b.server.URL + b.path(p))
	height := `document.querySelector(".order").getBoundingClientRect().height`
	got := eval[float64](page, height)
	testenv.Check(t, got <= 170, "the order takes %.0f px", got)
	eval[bool](page, `(navigator.clipboard.writeText = async text => { window.copied = text }, true)`)
	page.Click("#copy-order")
	want(t, "copied is", eval[string](page, "window.copied"), order)
	page.Click(".order summary")
	want(t, "shown is", page.Text(".order details[open] > span"), order)
}
