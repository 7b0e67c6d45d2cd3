package pay_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/pay"
)

// A browser that is some years old sends what its payer types, too.
func TestOldBrowser(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.Before("delete AbortSignal.timeout")
	p := b.create(t, "RUB", "sbp")
	page.Open(b.server.URL + b.path(p))
	page.Click("form .button")
	page.Await("h1", "Your transfer is on its way")
}

// What a proxy answers in place of the gateway is no page: what was typed
// stays, and is sent again.
func TestAnswerOfAProxy(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.Timed()
	p := b.create(t, "AZN", "quasi_ecom")
	page.Open(b.server.URL + b.path(p))
	page.fill(approvedCard)
	eval[bool](page, `(window.kept = window.fetch, window.fetch = () =>
		Promise.resolve(new Response("<html><body><h1>502 Bad Gateway</h1></body></html>", { status: 502 })), true)`)
	page.Click("form .button")
	page.Await("form .button", "Sent when the connection is back")
	want(t, "what was typed is", page.value("#pan"), "4242 4242 4242 4242")
	page.connected(true)
	page.Await("h1", "Your bank is checking the card")
}

// The form of a code that is sent many times at once counts once.
func TestCodeFormAtOnce(t *testing.T) {
	b := setup(t, false)
	for range 5 {
		p := b.create(t, "AZN", "quasi_ecom")
		b.payWith(t, p, codeCard)
		b.answers(t)
		shown := b.page(t, b.path(p)).Find("form [name=attempt]").AttrOr("value", "")
		testenv.AtOnce(6, func(int) error {
			b.post(t, b.path(p)+"/code", "attempt", shown, "otp", "000000")
			return nil
		})
		now := testenv.Must(b.payments.ByUUID(context.Background(), p.UUID))(t)
		want(t, "wrong codes", b.Text(t, "select codes_rejected from checkout where payment_id = $1", p.ID), "1")
		want(t, "the payment is", string(now.Status), string(payment.Pending))
	}
}

// A browser that does not say in a header of its own where a form comes from,
// as old ones and those without TLS do not, says so by its origin.
func TestOriginOfForms(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	page.WithoutScript()
	var origin atomic.Value
	pages := pay.New(b.services)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Sec-Fetch-Site")
		if r.Method == http.MethodPost {
			origin.Store(r.Header.Get("Origin"))
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := b.create(t, "RUB", "sbp")
	page.Open(server.URL + b.path(p))
	page.Click("form .button")
	page.Await("h1", "Your transfer is on its way")
	want(t, "the origin", origin.Load().(string), server.URL)
}

// A receipt whose form is sent twice is one. Chosen again on the page that says
// that one is there, it is another.
func TestReceiptTwice(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	b.post(t, b.path(p)+"/paid")
	big := pdf + strings.Repeat("x", 600<<10) // which is kept in pieces
	send := func(content, wanted string) func() {
		shown := b.page(t, b.path(p)).Find(".proof [name=received]").AttrOr("value", "")
		return func() {
			wantBack(t, b, p, b.site.Nobody().Upload(t, b.path(p)+"/receipt", []string{"received", shown}, "a.pdf", content))
			wantText(t, b.page(t, b.path(p)), ".received", wanted)
		}
	}
	first := send(big, "1 receipt received.")
	first()
	first()
	other := send(big[:len(big)-1]+"y", "2 receipts received.")
	other()
	other()
	send(big, "3 receipts received.")()
}

// Without script a page on which a file is chosen is not loaded anew meanwhile.
func TestFileIsKeptWithoutScript(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	b.post(t, b.path(p)+"/paid")
	anew := func(want string) {
		t.Helper()
		wantText(t, b.page(t, b.path(p)), "noscript", `<meta http-equiv="refresh" content="`+want+`">`)
	}
	anew("90")
	for _, name := range []string{"1", "2", "3"} {
		b.attach(t, p, name+".pdf", pdf+name)
	}
	anew("10") // no more are taken
}

// Where a page asks for nothing by itself, such as the first one of a payment
// link, a form that could not be sent is kept as well: the page says so, and
// sends it in the end.
func TestFormsWithoutConnection(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	b.pool(t, "RUB", "sbp")
	_, link := b.sell(t, paylink.Draft{Title: "A lamp", Methods: []string{"sbp"}})
	p := b.createFor(t, "AZN", "quasi_ecom", "eva")
	b.payWith(t, p, approvedCard)
	b.Exec(t, "update payment_card set kept_until = $1, payer_user_id = 'eva'", b.clock.Now().Add(time.Hour))
	saved := b.createFor(t, "AZN", "quasi_ecom", "eva")
	page.Timed()
	for _, form := range [][2]string{
		{link, "Send exactly 250 ₽"}, {b.path(saved) + "/forget", "Amount to pay 1,500 ₼"}, {b.path(saved) + "/cancel", "Payment cancelled"},
	} {
		at, then := form[0], form[1]
		page.Open(b.server.URL + at)
		if at == link {
			page.Type("#amount", "250")
		}
		eval[bool](page, `(window.kept = window.fetch, window.fetch = () => Promise.reject(new TypeError("gone")), true)`)
		page.Click("form .button")
		page.Await("form .button", "Sent when the connection is back")
		testenv.Check(t, strings.HasPrefix(page.Text("#live"), "No connection."), "%s: said is %q", at, page.Text("#live"))
		eval[bool](page, `(window.fetch = window.kept, true)`)
		page.passes("h1", then)
	}
}

// A code is taken as banks write it and as people copy it, in groups and with a
// space behind it, as the page's script has it; so is a security code.
func TestCodesWithSpaces(t *testing.T) {
	b := setup(t, false)
	for _, code := range []string{"123 456", " 123-456", "123\u00a0456"} {
		p := b.create(t, "AZN", "quasi_ecom")
		wantBack(t, b, p, b.post(t, b.path(p)+"/card", "pan", codeCard, "expiry", "12/30", "cvv", "123 "))
		b.answers(t)
		wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", code, "attempt", "0"))
		want(t, code, b.status(t, p), "completed")
	}
}

// The time until when a payment waits is told anew when it is put off, as after
// an outage.
func TestDeadlineIsPutOff(t *testing.T) {
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "RUB", "sbp")
	page.Timed()
	page.Open(b.server.URL + b.path(p))
	before := page.Text(".deadline")
	b.Exec(t, "update payment set expires_at = expires_at + interval '10 minutes', version = version + 1 where id = $1", p.ID)
	testenv.Until(t, "another deadline than "+before, func() bool {
		page.Pass(asksEvery)
		return page.Text(".deadline") != before
	})
}

// The time of a payment may be over while its payer's cancel waits for its
// turn. The page does not say then that nothing was charged: the card is still
// being checked.
func TestCancelTooLateWhileCharged(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	held, cancelled := b.Beside(t), make(chan answer, 1)
	testenv.Must(held.Exec(t.Context(), "select from payment where id = $1 for update", p.ID))(t)
	go func() { cancelled <- b.post(t, b.path(p)+"/cancel") }()
	b.AwaitBlocked(t)
	b.clock.Advance(15 * time.Minute)
	testenv.NoError(t, held.Commit(t.Context()))
	const texts = ".card > p:not(.amount, .note)"
	said, shown := (<-cancelled).Page(t).Find(texts), b.page(t, b.path(p)).Find(texts)
	want(t, "said of the card", words(said), words(shown))
}

// The language that was chosen in the address of a payment link stays that of
// its payment, also where no cookie is kept.
func TestLinkKeepsTheLanguage(t *testing.T) {
	b := setup(t, false)
	b.pool(t, "RUB", "sbp")
	_, path := b.sell(t, paylink.Draft{Title: "A lamp", Amount: "700", Methods: []string{"sbp"}})
	begun := b.post(t, path+"?lang=tr")
	want(t, "begun", begun.Code, http.StatusSeeOther)
	want(t, "the language is", b.page(t, begun.To()).Find("html").AttrOr("lang", ""), "tr")
}

// The form of a declined card's code does not count for the next card.
func TestCodeFormOfAnotherCard(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	b.answers(t)
	shown := b.page(t, b.path(p)).Find("form [name=attempt]").AttrOr("value", "")
	b.Exec(t, "update checkout set declined = declined + 1 where payment_id = $1", p.ID)
	b.post(t, b.path(p)+"/code", "attempt", shown, "otp", "000000")
	b.answers(t)
	want(t, "wrong codes", b.Text(t, "select codes_rejected from checkout where payment_id = $1", p.ID), "0")
}
