package pay_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"rsc.io/qr"

	"gateway.example/internal/auth"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/pay"
	"gateway.example/web/portal/portaltest"
)

// Without script a page says everything: what, where, until when on a clock
// that is named, and looks for news by itself.
func TestPageWithoutScript(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	b.clock.Advance(30 * time.Second)
	page := b.page(t, b.path(p))

	wantText(t, page, "h1", "Send exactly 1,500 ₽")
	wantText(t, page, ".shop", "Merchant")
	wantText(t, page, "footer", "Example Payments, help@pay.example")
	wantText(t, page, "dl div:nth-child(3) .hint", "The recipient is a partner who takes your payment for Merchant.")
	// 15 minutes from 12:00 UTC, in Moscow; 14 minutes and a half are left.
	wantText(t, page, "time", "Pay before 15:15 (UTC+3)")
	wantText(t, page, "[data-left]", "14 minutes left")
	want(t, "the minutes in words have a label besides", page.Find(".left .unseen[hidden]").Length(), 1)
	if got, _ := page.Find("time").Attr("datetime"); got != "2026-11-20T12:15:00Z" {
		t.Errorf("the deadline is %s", got)
	}
	// The parser takes what is inside for text, as a browser with scripts
	// does.
	wantText(t, page, "head noscript", `<meta http-equiv="refresh" content="10">`)
	want(t, "it offers copying, which needs a script", page.Find("[data-copy]:not([hidden])").Length(), 0)
	want(t, "something is inline, which the policy forbids", page.Find("[style], script:not([src]), [onclick]").Length(), 0)
	wantText(t, page, ".order > :first-child", "Order:<b>1")
	wantText(t, page, ".order > :last-child", `"><script>alert(1)</script>`)
	want(t, "outside a sandbox nothing is simulated", page.Find(`form:not([action$="/paid"]), .test`).Length(), 0)
}

// What is shown of a requisite, and what the steps say, by method.
func TestMethods(t *testing.T) {
	b := setup(t, false)
	for _, test := range []struct{ currency, method, label, step, zone string }{
		{"RUB", "sbp", "Phone number", "In your bank’s app, choose a transfer by phone number (SBP).", "UTC+3"},
		{"RUB", "sim", "Phone number", "In your bank’s app, choose to top up a mobile phone.", "UTC+3"},
		{"RUB", "card", "Card number", "In your bank’s app, choose a transfer to a card by its number.", "UTC+3"},
		{"AZN", "c2c", "Card number", "In your bank’s app, choose a transfer to a card by its number.", "UTC+4"},
		{"TRY", "c2c", "Card number", "In your bank’s app, choose a transfer to a card by its number.", "UTC+3"},
		{"KZT", "c2c", "Card number", "In your bank’s app, choose a transfer to a card by its number.", "UTC+5"},
		{"UZS", "c2c", "Card number", "In your bank’s app, choose a transfer to a card by its number.", "UTC+5"},
		{"MNT", "iban", "IBAN", "In your bank’s app, choose a transfer to an account by IBAN.", "UTC+8"},
	} {
		p := b.create(t, test.currency, test.method)
		page := b.page(t, b.path(p))
		mark := ""
		if test.method == "sbp" {
			mark = " СБП"
		}
		wantText(t, page, "dl div:first-child dt", test.label+mark)
		wantText(t, page, "ol li:first-child", test.step)
		wantText(t, page, "dl div:nth-child(2) dd", "Sample Bank")
		if got, _ := page.Find("#copy-value").Attr("data-copy"); got != *p.RequisiteValue {
			t.Errorf("%s: copies %s", test.method, got)
		}
		if got, _ := page.Find("#copy-amount").Attr("data-copy"); got != "1500" {
			t.Errorf("%s: copies %s", test.method, got)
		}
		wantIn(t, test.currency, words(page.Find("time")), test.zone)
	}
}

func TestOutcomes(t *testing.T) {
	b := setup(t, false)
	for _, test := range []struct {
		status string
		reason *string
		title  string
		late   bool
	}{
		{"completed", nil, "Payment received", false},
		{"failed", nil, "The payment did not go through", true},
		{"failed", ptr("expired"), "The time to pay is over", true},
		{"cancelled", nil, "Payment cancelled", true},
		{"appeal", nil, "The payment is under review", false},
	} {
		p := b.create(t, "RUB", "sbp")
		b.set(t, p, test.status, test.reason)
		page := b.page(t, b.path(p))
		wantText(t, page, "h1", test.title)
		wantText(t, page, ".amount", "1,500 ₽")
		want(t, test.status+": tells what to do if the money was sent", page.Find(".besides").Length() == 1, test.late)
		testenv.Check(t, !strings.Contains(page.Text(), (*p.RequisiteValue)[2:]) &&
			page.Find("#copy-value").Length() == 0, "%s: still shows where to send money", test.status)
		if !test.late {
			continue
		}
		// Whoever has said that they have paid is never told to pay
		// again, and the receipt comes first.
		claimed := b.returning(t, "sbp", "https://shop.example/")
		b.post(t, b.path(claimed)+"/paid")
		b.set(t, claimed, test.status, test.reason)
		page = b.page(t, b.path(claimed))
		want(t, test.status+": how the payer goes on", words(page.Find(".end > .proof h2, .end > .button, .end > details summary")),
			"Sent the money? Attach the receiptBack to the shopWhat happens next")
		wantIn(t, test.status, words(page.Find(".end > p")), "lease do not pay again")
		wantNot(t, test.status, page.Text(), "start a new payment")
	}
}

// Whose money is sent back is told so, and not that the shop can have it looked
// for.
func TestMoneyGoesBack(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	b.post(t, b.path(p)+"/paid")
	b.set(t, p, "failed", ptr("returned"))
	b.Exec(t, "update payment set received_amount = 1000 where id = $1", p.ID)
	page := b.page(t, b.path(p))
	wantText(t, page, "h1", "The payment did not go through")
	wantIn(t, "the page", words(page.Find(".end > p")), "It is sent back to you")
	want(t, "the ways to have it looked for", page.Find(".besides, .proof").Length(), 0)
}

// Once the shop has asked for a check, the page says so by itself, and no more
// that the shop should.
func TestCheckAsked(t *testing.T) {
	b := setup(t, false)
	for _, p := range []payment.Payment{b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")} {
		b.set(t, p, "failed", nil)
		before := b.ask(t, b.path(p)+"/status").Body
		b.appeal(t, p)
		page := b.page(t, b.path(p))
		wantText(t, page, "[role=alert]", "The shop has asked us to check this payment. The result will appear here.")
		testenv.Check(t, !strings.Contains(page.Text(), "Tell the shop") &&
			b.ask(t, b.path(p)+"/status").Body != before,
			"the page still asks for it, or an open one is not told")
		b.set(t, p, "completed", nil)
		want(t, "a check that has ended is still asked for", b.page(t, b.path(p)).Find("[role=alert]").Length(), 0)
	}
}

// appeal has the shop ask for a check of a payment.
func (b *bundle) appeal(t *testing.T, p payment.Payment) {
	t.Helper()
	file := strings.NewReader(png)
	testenv.Must(b.payments.OpenAppeal(t.Context(), b.box(t, p.Currency).Caller, p.ID, payment.AppealRequest{
		Reason:   ptr("The payer has paid."),
		FileName: ptr("receipt.png"),
		File:     io.NewSectionReader(file, 0, file.Size()),
	}))(t)
}

// The page closes at the deadline itself, not when the sweep has come round,
// and nothing can be done with it any more.
func TestDeadline(t *testing.T) {
	b := setup(t, false)
	p, card := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")
	status := func() string { return b.ask(t, b.path(p)+"/status").Body }
	b.clock.Advance(15*time.Minute - time.Millisecond)
	for _, p := range []payment.Payment{p, card} {
		wantText(t, b.page(t, b.path(p)), "[data-left]", "less than a minute left")
	}
	want(t, "before", status(), `{"version":"0-1795176900-true-false-false","seconds":1}`+"\n")
	b.clock.Advance(time.Millisecond)
	for _, p := range []payment.Payment{p, card} {
		wantText(t, b.page(t, b.path(p)), "h1", "The time to pay is over")
	}
	want(t, "then", status(), `{"version":"0-1795176900-false-false-false","seconds":0}`+"\n")
	want(t, "cancelled after its deadline", line(b.post(t, b.path(p)+"/cancel").Code, b.status(t, p)),
		line(http.StatusUnprocessableEntity, "pending"))
	wantBack(t, b, card, b.payWith(t, card, approvedCard))
	want(t, "charged after the deadline", b.attempts(t, card), 0)
}

// That the payer has paid is kept with the payment: the page says so in any
// language and on any device, and the payment waits for the transfer.
func TestHavePaid(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	before := b.ask(t, b.path(p)+"/status").Body
	b.clock.Advance(10 * time.Minute)
	for range 2 { // also pressed twice
		wantBack(t, b, p, b.post(t, b.path(p)+"/paid"))
	}
	page := b.page(t, b.path(p))
	wantText(t, page, "h1", "Your transfer is on its way")
	wantText(t, page, ".end > p strong", "Please do not send the money again.")
	wantText(t, page, ".aside li:first-child", "The recipient checks that your transfer has arrived.")
	// It is 12:10, and a quarter of an hour is left once more.
	wantText(t, page, "time", "Pay before 15:25 (UTC+3)")
	wantText(t, b.page(t, b.path(p)+"?lang=ru"), "h1", "Перевод в пути")
	if after := b.ask(t, b.path(p)+"/status").Body; after == before || b.status(t, p) != "pending" {
		t.Errorf("a page opened elsewhere is not told, or the payment is %s", b.status(t, p))
	}
	wantText(t, b.page(t, b.path(p)+"/cancel"), "h1 ~ p:not(.amount)", "You said that you have sent the money. "+
		"If that is so, do not cancel: a cancelled payment takes longer to find. Cancel only if nothing was sent.")
	b.clock.Advance(15 * time.Minute)
	want(t, "of a payment that still waits", b.post(t, b.path(b.create(t, "RUB", "card"))+"/paid").Code, http.StatusSeeOther)
	wantText(t, b.post(t, b.path(p)+"/paid").Page(t), "h1", "")
	wantText(t, b.page(t, b.path(p)), "h1", "We are still looking for your transfer")
	done := b.create(t, "RUB", "sbp")
	testenv.NoError(t, b.confirm(t.Context(), done))
	wantBack(t, b, done, b.post(t, b.path(done)+"/paid"))
}

// The code at a computer leads the phone to the same page, in the same
// language. Nobody else's page has one.
func TestScan(t *testing.T) {
	b := setup(t, false)
	for _, p := range []payment.Payment{b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")} {
		drawn := b.ask(t, b.page(t, b.path(p)+"?lang=ru").Find(".scan img").AttrOr("src", ""))
		want(t, "the code", line(drawn.Code, drawn.Header.Get("Content-Type")), line(http.StatusOK, "image/svg+xml"))
		code := testenv.Must(qr.Encode("https://pay.example"+b.path(p)+"?lang=ru", qr.M))(t)
		wantIn(t, "the code is not that of the page's address", drawn.Body, fmt.Sprintf("viewBox=\"0 0 %[1]d %[1]d\"", code.Size+8))
	}
}

// A payer who is sure cancels, once, a transfer or a payment by card. Too late,
// they see how the payment stands, and that it was not their doing.
func TestCancel(t *testing.T) {
	b := setup(t, false)
	for method, paid := range map[[2]string]func(p payment.Payment){
		{"RUB", "sbp"}: func(p payment.Payment) { testenv.NoError(t, b.confirm(t.Context(), p)) },
		{"AZN", "quasi_ecom"}: func(p payment.Payment) {
			b.payWith(t, p, approvedCard)
			b.answers(t)
		},
	} {
		p, late := b.create(t, method[0], method[1]), b.create(t, method[0], method[1])
		page := b.page(t, b.path(p)+"/cancel")
		wantText(t, page, "h1", "Cancel this payment?")
		want(t, "asking has cancelled", b.status(t, p), "pending")
		want(t, "back leads to", page.Find("a.button").AttrOr("href", ""), b.path(p))
		want(t, "another language shows the same page", page.Find(`a[href="`+b.path(p)+`/cancel?lang=ru"]`).Length(), 1)
		cancel := func() answer { return b.post(t, page.Find("form").AttrOr("action", "")) }
		for range 2 { // also pressed twice
			wantBack(t, b, p, cancel())
		}
		wantText(t, b.page(t, b.path(p)), "h1", "Payment cancelled")
		history := b.History(t, p.MerchantID, p.ID)
		want(t, "moves, and the last one", line(len(history), history[len(history)-1].Actor), "2 payer")
		want(t, "webhooks", b.Count(t, "select count(*) from webhook_event where subject_id = $1", p.ID), 1)

		paid(late)
		a := b.post(t, b.path(late)+"/cancel")
		want(t, "too late", line(a.Code, b.status(t, late)), line(http.StatusUnprocessableEntity, "completed"))
		wantText(t, a.Page(t), "[role=alert]", "The payment can no longer be cancelled. This is how it stands:")
		wantText(t, a.Page(t), "h1", "Payment received")
		want(t, "asked whether to cancel a paid one", b.ask(t, b.path(late)+"/cancel").Code, http.StatusSeeOther)
	}
}

// A panic is answered by the page that tells of trouble on our side.
func TestPanicHasAPage(t *testing.T) {
	t.Parallel()
	links := testenv.Must(auth.NewLinks(make([]byte, 32)))(t)
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/r/"+links.Token(uuid.New())+"/status", nil)
	pay.New(pay.Services{Links: links}).ServeHTTP(w, r) // without services every link panics
	testenv.Want(t, w.Code, http.StatusInternalServerError, "the answer is")
	wantText(t, testenv.Must(goquery.NewDocumentFromReader(w.Body))(t), "h1", "Something went wrong")
}

func TestSimulate(t *testing.T) {
	b := setup(t, true)
	p := b.create(t, "RUB", "sbp")
	page := b.page(t, b.path(p))
	wantText(t, page, ".test p", "Test mode: no real money moves here.")
	action, _ := page.Find("form.test").Attr("action")
	for range 2 { // also pressed twice
		wantBack(t, b, p, b.post(t, action))
		want(t, "simulated", b.status(t, p), "completed")
	}
	real := serve(t, false)
	q := real.create(t, "RUB", "sbp")
	if a := real.post(t, real.path(q)+"/simulate"); a.Code != http.StatusNotFound || real.status(t, q) != "pending" {
		t.Errorf("without a sandbox: %d", a.Code)
	}
}

// Posts come from our own pages or not at all.
func TestForeignPosts(t *testing.T) {
	b := setup(t, true)
	p, bought := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")
	for _, action := range []string{
		b.path(p) + "/cancel", b.path(p) + "/simulate", b.path(bought), b.path(bought) + "/card", b.path(bought) + "/code",
		b.path(bought) + "/cancel", b.path(bought) + "/forget",
	} {
		for _, headers := range [][]string{
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site", "Origin", "https://other.example"},
			{"Origin", "https://shop.example"},
		} {
			want(t, action+" with",
				line(b.site.Nobody().PostForm(t, action, nil, headers...).Code, b.status(t, p), b.status(t, bought)),
				line(http.StatusForbidden, "pending", "pending"))
		}
	}
}

// Whatever is wrong with a link, the answer is the same, byte for byte.
func TestUnknownLinks(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "RUB", "sbp")
	token := b.links.Token(p.UUID)
	others := testenv.Must(auth.NewLinks([]byte(strings.Repeat("x", 32))))(t)
	bought := b.links.Token(b.create(t, "AZN", "quasi_ecom").UUID)
	var first answer
	for i, path := range []string{
		"/r/nonsense", "/r/" + others.Token(p.UUID), "/r/" + token[:len(token)-1], "/r/" + token + "A", "/r/" + b.links.Token([16]byte{1}),
		"/r/" + bought, "/r/" + bought + "/cancel", "/r/" + bought + "/status", "/r/nonsense/status", "/r/nonsense/cancel", "/r/", "/", "/static/none.css",
		"/static/color/red.css", "/r/" + token + "/other", "/favicon.ico",
		"/pay/nonsense", "/pay/" + token, "/pay/" + token + "/card", "/pay/" + token + "/code", "/pay/" + token + "/cancel",
		"/pay/" + token + "/status", "/pay/" + others.Token(p.UUID), "/pay/" + b.links.Token([16]byte{1}),
		"/pay/" + bought + "/other", "/pay/" + bought + "A", "/pay/nonsense/code", "/pay/", "/pay",
	} {
		a := b.ask(t, path)
		a.Header.Del("Date")
		if i == 0 {
			first = a
		}
		want(t, path, line(a.Code, a.Body, fmt.Sprint(a.Header)), line(http.StatusNotFound, first.Body, fmt.Sprint(first.Header)))
		wantNot(t, path+": the answer repeats the link", a.Body, token)
	}
	wantText(t, first.Page(t), "h1", "This link does not work")
}

// A payer who is blocked reads that the payment cannot be made, beside a typed
// card and above a saved one, and not why.
func TestBlockedCardPage(t *testing.T) {
	b := setup(t, false)
	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "eva"), approvedCard)
	b.answers(t)
	typed, saved := b.createFor(t, "AZN", "quasi_ecom", ""), b.createFor(t, "AZN", "quasi_ecom", "eva")
	_, err := b.settings.BlockPayer(t.Context(), portaltest.Admin,
		directory.NewBlock{Kind: "address", Value: "127.0.0.1", Reason: "attack"})
	testenv.NoError(t, err)
	const says = "This payment cannot be made here."
	wantText(t, b.mistaken(t, b.path(typed)+"/card", "pan", approvedCard, "expiry", "12/30", "cvv", "123").Page(t), "#pan-error", says)
	a := b.mistaken(t, b.path(saved), "cvv", "123", "card", savedID(b.page(t, b.path(saved))))
	wantText(t, a.Page(t), "[role=alert]", says)
	wantNot(t, "why", a.Body, "attack")
}

// A page that the payer opens is kept with the family of their browser. What
// its script asks for, what is fetched ahead and what is posted is not.
func TestOpenedPages(t *testing.T) {
	b := setup(t, false)
	transfer, card := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")
	const safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	const edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0"
	open := func(p payment.Payment, below string, headers ...string) {
		t.Helper()
		kept := func() int {
			return b.Count(t, "select count(*) from payment_step where payment_id = $1 and what = 'page_opened'", p.ID)
		}
		before := kept()
		testenv.Until(t, "the opening is kept", func() bool { // a page waits for that a moment only
			b.ask(t, b.path(p)+below, headers...)
			return kept() > before
		})
	}
	open(transfer, "", "User-Agent", safari)
	open(transfer, "/cancel", "User-Agent", "curl/8", "Sec-Fetch-Dest", "document")
	b.ask(t, b.path(transfer), "Sec-Fetch-Dest", "empty")
	b.ask(t, b.path(transfer), "Sec-Purpose", "prefetch;prerender")
	b.ask(t, b.path(transfer)+"/status")
	b.post(t, b.path(transfer)+"/paid")
	open(card, "", "User-Agent", edge)
	open(card, "/card", "User-Agent", edge)
	for id, want := range map[int64][]string{
		transfer.ID: {"requisite Safari", "cancel other"},
		card.ID:     {"checkout Edge", "card Edge"},
	} {
		rows := testenv.Must(b.Pool.Query(
			t.Context(),
			`select coalesce(detail->>'page', '') || ' ' || coalesce(detail->>'agent', '')
			from payment_step where payment_id = $1 and actor = 'payer' and what = 'page_opened' order by id`,
			id,
		))(t)
		got := testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		testenv.Check(t, slices.Equal(got, want), "got %q; want %q", got, want)
	}
}

// A path that takes other methods says which, whatever its link is worth.
func TestOtherMethods(t *testing.T) {
	b := setup(t, false)
	script := b.page(t, b.path(b.create(t, "RUB", "sbp"))).Find("script[src]").AttrOr("src", "")
	for _, one := range [][3]string{
		{"PUT", "/r/nonsense", "GET, HEAD"}, {"DELETE", "/r/nonsense/cancel", "GET, HEAD, POST"}, {"GET", "/r/nonsense/paid", "POST"},
		{"PATCH", "/pay/nonsense", "GET, HEAD, POST"}, {"GET", "/pay/nonsense/resend", "POST"}, {"PUT", "/l/nonsense", "GET, HEAD, POST"},
		{"POST", "/bank/00", "GET, HEAD"}, {"DELETE", "/logo/00", "GET, HEAD"}, {"PUT", "/nothing", ""}, {"PUT", "/r/nonsense/nothing", ""},
		{"POST", script, "GET, HEAD"}, {"POST", "/static/none.js", ""},
	} {
		w := httptest.NewRecorder()
		b.server.Config.Handler.ServeHTTP(w, httptest.NewRequest(one[0], one[1], http.NoBody))
		status := http.StatusMethodNotAllowed
		if one[2] == "" {
			status = http.StatusNotFound
		}
		want(t, one[0]+" "+one[1], line(fmt.Sprint(w.Code), w.Header().Get("Allow")), line(fmt.Sprint(status), one[2]))
	}
}
