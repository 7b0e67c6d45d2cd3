package pay_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/auth"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/pay"
	"gateway.example/web/portal/portaltest"
)

// The card of the last payment is offered to the same payer alone, and is paid
// with by its code.
func TestSavedCard(t *testing.T) {
	b := setup(t, false)
	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "eva"), approvedCard)
	b.answers(t)
	second, stranger := b.createFor(t, "AZN", "quasi_ecom", "eva"), b.createFor(t, "AZN", "quasi_ecom", "adam")
	want(t, "another payer is offered the card", b.page(t, b.path(stranger)).Find("[data-saved-card]").Length(), 0)
	page := b.page(t, b.path(second))
	wantText(t, page, "[data-saved-card]", "Your saved cardVisa •••• 4242valid until 12/30IVAN IVANOV")
	testenv.Check(t, page.Find("input:not([type=hidden])").Length() == 1 && !strings.Contains(page.Text(), approvedCard),
		"it asks for more than the security code, or shows the number")
	other := b.page(t, page.Find(".choices a").AttrOr("href", ""))
	want(t, "another card cannot be used", line(other.Find("#pan").Length(), other.Find("[data-saved-card]").Length()), "1 0")
	wrong := b.mistaken(t, b.path(second), "cvv", "98765", "card", savedID(page))
	wantText(t, wrong.Page(t), "#cvv-error", "Enter the 3 or 4 digits of the CVV.")
	wantNot(t, "the code comes back", wrong.Body, "98765")
	wantBack(t, b, second, b.post(t, b.path(second), "cvv", "987", "card", savedID(wrong.Page(t))))
	b.answers(t)
	wantText(t, b.page(t, b.path(second)), "h1", "Payment received")

	third := b.createFor(t, "AZN", "quasi_ecom", "eva")
	left := savedID(b.page(t, b.path(third)))
	asked := b.page(t, b.path(third)+"/forget")
	wantText(t, asked, "h1", "Forget this card?")
	wantText(t, asked, "h1 + p", "Visa •••• 4242 will no longer be offered for your payments in this shop.")
	want(t, "asking has forgotten the card", savedID(b.page(t, b.path(third))), left)
	wantBack(t, b, third, b.post(t, b.path(third)+"/forget"))
	want(t, "a forgotten card is offered", b.page(t, b.path(third)).Find("[data-saved-card]").Length(), 0)
	// In a tab left open the form of the saved card is still there.
	wantBack(t, b, third, b.post(t, b.path(third), "cvv", "987", "card", left))
	want(t, "the form of a card does not take the place of a forgotten one's",
		line(b.page(t, b.path(third)).Find("#pan").Length(), b.attempts(t, third)), "1 0")
}

// savedID is the card that the form of a page pays with.
func savedID(page *goquery.Document) string { return page.Find("input[name=card]").AttrOr("value", "") }

// A page left open shows one card, and meanwhile another one was saved. The
// card of the page is not the one to charge, and nor is the other before the
// payer has seen it.
func TestSavedCardChanges(t *testing.T) {
	b := setup(t, false)
	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "eva"), approvedCard)
	b.answers(t)
	p := b.createFor(t, "AZN", "quasi_ecom", "eva")
	shown := savedID(b.page(t, b.path(p)))
	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "eva"), mastercardCard)
	b.answers(t)
	for name, id := range map[string]string{"the card shown before": shown, "none": "", "what is no card": "x"} {
		a := b.mistaken(t, b.path(p), "cvv", "987", "card", id)
		testenv.Need(t, b.attempts(t, p) == 0, "%s: %d attempts", name, b.attempts(t, p))
		page := a.Page(t)
		wantText(t, page, "[data-saved-card] strong", "Mastercard •••• 4444")
		wantText(t, page, "[role=alert]", "Another card has been saved in the meantime. Check it before you pay.")
		shown = savedID(page)
	}
	wantBack(t, b, p, b.post(t, b.path(p), "cvv", "987", "card", shown))
	b.answers(t)
	wantText(t, b.page(t, b.path(p)), "h1", "Payment received")
	want(t, "charged was the card that ends in", b.Text(t, "select last4 from payment_card where payment_id = $1", p.ID), "4444")
}

// A number that was right is carried to the next try without being shown, for
// its own payment alone.
func TestNumberIsKept(t *testing.T) {
	b := setup(t, false)
	p, another := b.create(t, "AZN", "quasi_ecom"), b.create(t, "AZN", "quasi_ecom")
	page := b.mistaken(t, b.path(p)+"/card", "pan", "4242-4242 4242 4242", "expiry", "12/30", "cvv", "1").Page(t)
	again := []string{"kept", page.Find("input[name=kept]").AttrOr("value", ""), "expiry", "12/30", "cvv"}
	page = b.mistaken(t, b.path(p)+"/card", append(again, "2")...).Page(t)
	wantText(t, page, "[data-kept] strong", "•••• 4242")
	wantText(t, b.mistaken(t, b.path(another)+"/card", append(again, "987")...).Page(t), "#pan-error", "Enter the number of your card.")
	want(t, "another payment takes the number", b.attempts(t, another), 0)
	want(t, "another card cannot be typed", b.page(t, page.Find("a.quiet").First().AttrOr("href", "")).Find("input#pan").Length(), 1)
	wantBack(t, b, p, b.post(t, b.path(p)+"/card", append(again, "987")...))
	b.answers(t)
	wantText(t, b.page(t, b.path(p)), "h1", "Payment received")
}

// While link keys are rotated, what a payer typed at one process is there at
// another, whichever key that has first.
func TestFormDuringRotation(t *testing.T) {
	b := setup(t, false)
	old, fresh := []byte(strings.Repeat("k", 32)), []byte(strings.Repeat("n", 32))
	var processes []*portaltest.Bundle
	for _, keys := range [][][]byte{{old, fresh}, {fresh, old}} {
		services := b.services
		services.Links = testenv.Must(auth.NewLinks(keys...))(t)
		server := httptest.NewServer(pay.New(services))
		t.Cleanup(server.Close)
		processes = append(processes, &portaltest.Bundle{Server: server})
	}
	path := b.path(b.create(t, "AZN", "quasi_ecom"))
	for i, process := range processes {
		form := portaltest.Form("pan", approvedCard, "expiry", "12/30", "cvv", "1")
		sent := process.Nobody().PostForm(t, path+"/card", form, "Origin", "null", "Sec-Fetch-Site", "same-origin")
		cookie, _, _ := strings.Cut(sent.Header.Get("Set-Cookie"), ";")
		page := processes[1-i].Nobody().Get(t, sent.To(), "Cookie", cookie).Page(t)
		wantText(t, page, "[data-kept] strong", "•••• 4242")
	}
}

// Whatever field a number is typed into, no page shows it, and what is no text
// is not taken.
func TestNumberInTheWrongField(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	const number = "4242 4242 4242 4242"
	for field, typed := range map[string]string{
		"pan": number + "x", "expiry": number, "cardHolder": number, "pan with all": number + " 12/30 987",
	} {
		name, _, _ := strings.Cut(field, " ")
		fields := map[string]string{"pan": "42", "expiry": "12/30", "cvv": "987", "cardHolder": "A", name: typed}
		var form []string
		for key, value := range fields {
			form = append(form, key, value)
		}
		wantNot(t, field+": the number is shown", b.mistaken(t, b.path(p)+"/card", form...).Body, number)
	}
	for _, holder := range []string{"IVAN \xff", "IVAN\x00", "IVAN\u0007"} {
		a := b.mistaken(t, b.path(p)+"/card", "pan", approvedCard, "expiry", "12/30", "cvv", "987", "cardHolder", holder)
		want(t, holder+" is taken", line(a.Page(t).Find("#cardHolder-error").Length(), b.attempts(t, p)), "1 0")
	}
}

// Forms of a payment that has ended lead to its result.
func TestFormsAfterTheEnd(t *testing.T) {
	b := setup(t, false)
	paid, cancelled := b.create(t, "AZN", "quasi_ecom"), b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, paid, approvedCard)
	b.answers(t)
	b.post(t, b.path(cancelled)+"/cancel")
	for _, p := range []payment.Payment{paid, cancelled} {
		for _, below := range []string{"", "/card", "/code", "/cancel"} {
			for _, fields := range [][]string{
				{}, {"attempt", "0"}, {"attempt", "0", "otp", "123456"}, {"pan", approvedCard, "expiry", "12/30", "cvv", "987"},
			} {
				a := b.post(t, b.path(p)+below, fields...)
				testenv.Check(t, a.Code == http.StatusSeeOther || below == "/cancel" &&
					a.Code == http.StatusUnprocessableEntity, "%s %v: %d", below, fields, a.Code)
			}
		}
	}
	want(t, "a cancelled payment was charged", b.attempts(t, cancelled), 0)
}

// The form of a card that is sent twice, the second time when the first was
// declined already, tries the card once. The form that is shown then tries
// another.
func TestCardFormOnce(t *testing.T) {
	b := setup(t, false)
	p := b.createFor(t, "AZN", "quasi_ecom", "eva")
	form := func() []string {
		t.Helper()
		shown := b.page(t, b.path(p)+"/card").Find("form [name=attempt]").AttrOr("value", "")
		return []string{"attempt", shown, "pan", declinedCard, "expiry", "12/30", "cvv", "987"}
	}
	first := form()
	for range 2 {
		wantBack(t, b, p, b.post(t, b.path(p)+"/card", first...))
		b.answers(t)
	}
	want(t, "tried by one form", b.attempts(t, p), 1)
	want(t, "the page tells of the decline", b.page(t, b.path(p)).Find("[role=alert]").Length(), 1)
	wantBack(t, b, p, b.post(t, b.path(p)+"/card", form()...))
	want(t, "tried by both forms", b.attempts(t, p), 2)

	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "adam"), approvedCard)
	b.answers(t)
	saved := b.createFor(t, "AZN", "quasi_ecom", "adam")
	page := b.page(t, b.path(saved))
	again := []string{"attempt", page.Find("form [name=attempt]").AttrOr("value", ""), "card", savedID(page), "cvv", "987"}
	b.line.cut.Store(true)
	wantBack(t, b, saved, b.post(t, b.path(saved), again...))
	b.answers(t) // the acquirer knows nothing of the card, so it is asked for again
	b.line.cut.Store(false)
	wantBack(t, b, saved, b.post(t, b.path(saved), again...))
	want(t, "tried by the form of a saved card", b.attempts(t, saved), 1)
}

// Who asks too often is told to wait, and for how long.
func TestTooOften(t *testing.T) {
	b := setup(t, false)
	testenv.NoError(t, b.limits.Load(t.Context()))
	for below, p := range map[string]payment.Payment{
		"/card": b.create(t, "AZN", "quasi_ecom"), "/cancel": b.create(t, "RUB", "sbp"),
	} {
		b.wantSlower(t, p, below)
	}
}

func (b *bundle) wantSlower(t *testing.T, p payment.Payment, below string) {
	t.Helper()
	var last answer
	let := 0
	for ; let < 300; let++ { // the allowance is 60, and one more each second this takes
		last = b.post(t, b.path(p)+below, "pan", "42")
		if last.Code == http.StatusTooManyRequests {
			break
		}
	}
	// Each form of a card is a read besides, of which fewer are allowed at
	// once.
	testenv.Check(t, let >= 60 || p.CardCheckout(), "%d were let through, want 60", let)
	wait, err := strconv.Atoi(last.Header.Get("Retry-After"))
	testenv.Need(t, last.Code == http.StatusTooManyRequests && err == nil && wait >= 1,
		"%d, Retry-After %q", last.Code, last.Header.Get("Retry-After"))
	page := last.Page(t)
	wantText(t, page, "h1", "Please wait a little")
	wantText(t, page, "h1 + p", "There were too many attempts in a short time. Try again in 1 minute.")
	want(t, "it leads to", page.Find("a.button").AttrOr("href", ""), b.path(p))
}

// Neither number nor codes reach the log, a URL, or any page but the form they
// were typed in.
func TestCardStaysSecret(t *testing.T) { //nolint:paralleltest // it listens to the log of the whole program
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer slog.SetDefault(before)
	b := serve(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	seen := []answer{b.payWith(t, p, codeCard)}
	b.answers(t)
	seen = append(seen, b.ask(t, b.path(p)),
		b.post(t, b.path(p)+"/code", "otp", "24681357", "attempt", "0"), b.ask(t, b.path(p)),
		b.ask(t, b.path(p)+"/status"))
	for i, a := range seen {
		wantNot(t, fmt.Sprint("answer ", i), a.Body+a.To(), codeCard, "4000 0025", ">987<", `"987"`, "24681357")
	}
	wantNot(t, "the log has the card, or the link", logged.String(), codeCard, b.links.Token(p.UUID))
}

// A card is kept only of a payer who has ticked the box, which nobody ticks for
// them. Of a payer who cannot be known again there is no box.
func TestCardIsKeptWithConsent(t *testing.T) {
	b := setup(t, false)
	p := b.createFor(t, "AZN", "quasi_ecom", "eva")
	box := b.page(t, b.path(p)).Find("#keep")
	if _, ticked := box.Attr("checked"); box.Length() != 1 || ticked {
		t.Error("there is no box, or it is ticked")
	}
	wantBack(t, b, p, b.post(t, b.path(p)+"/card", "pan", approvedCard, "expiry", "12/30", "cvv", "987"))
	b.answers(t)
	next := b.createFor(t, "AZN", "quasi_ecom", "eva")
	want(t, "a card is kept without consent", b.page(t, b.path(next)).Find("[data-saved-card]").Length(), 0)
	// A mistake in the form takes the tick back no more than the number.
	wrong := b.mistaken(t, b.path(next)+"/card", "pan", approvedCard, "expiry", "12/30", "cvv", "1", "keep", "on").Page(t)
	if _, ticked := wrong.Find("#keep").Attr("checked"); !ticked {
		t.Error("the tick is lost")
	}
	for _, unnamed := range []payment.Payment{b.create(t, "AZN", "quasi_ecom"), b.createFor(t, "RUB", "mtstpay", "eva")} {
		want(t, "a card that nobody could be offered again may be kept", b.page(t, b.path(unnamed)).Find("#keep").Length(), 0)
	}
}

// Once a card has been sent, no page says that nothing was charged before the
// bank has.
func TestNothingChargedIsSaidByTheBank(t *testing.T) {
	b := setup(t, false)
	const checkingCancelled = "Your card had already been sent to the bank. We are making sure that nothing is charged: " +
		"the result will appear here. Please do not pay again until then."
	const charged = "Nothing was charged. If your bank shows the amount as reserved, it will be released. " +
		"To pay, go back to the shop and start a new payment."
	for name, end := range map[string]func(p payment.Payment){
		"Payment cancelled": func(p payment.Payment) {
			asked := b.page(t, b.path(p)+"/cancel")
			wantText(t, asked, "h1 ~ p:not(.amount)", "Your card has already been sent to the bank. "+
				"If you cancel, we ask the bank to release the amount, and this page shows when it has.")
			wantBack(t, b, p, b.post(t, b.path(p)+"/cancel"))
		},
		"The time to pay is over": func(payment.Payment) {
			b.clock.Advance(15 * time.Minute)
			testenv.Must(b.payments.Expire(t.Context()))(t)
		},
	} {
		p := b.create(t, "AZN", "quasi_ecom")
		b.payWith(t, p, codeCard)
		b.answers(t)
		end(p)
		page := b.page(t, b.path(p))
		wantText(t, page, "h1", name)
		said := words(page.Find("h1 ~ p:not(.amount)"))
		testenv.Check(t, !strings.Contains(said, "othing was charged") && (name != "Payment cancelled" ||
			said == checkingCancelled), "%s: the page says %q", name, said)
		want(t, "the page does not ask how it ends", page.Find("main").AttrOr("data-every", ""), "3")
		for range 5 { // asked, told to undo it, and asked again
			b.answers(t)
		}
		wantText(t, b.page(t, b.path(p)), "h1 ~ p:not(.amount)", charged)
	}
}
