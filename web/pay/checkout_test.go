package pay_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// The sandbox's cards: docs/integrate/cards.md.
const (
	approvedCard   = "4242424242424242"
	mastercardCard = "5555555555554444"
	codeCard       = "4000002500003155"
	declinedCard   = "4000000000000002"
	poorCard       = "4000000000009995"
)

// payWith sends a card's form, and lets the card be kept.
func (b *bundle) payWith(t testing.TB, p payment.Payment, number string) answer {
	t.Helper()
	return b.post(t, b.path(p)+"/card", "pan", number, "expiry", "12/30", "cvv", "987", "cardHolder", "IVAN IVANOV", "keep", "on")
}

// answers has the acquirer answer everything it was asked.
func (b *bundle) answers(t testing.TB) {
	t.Helper()
	b.clock.Advance(time.Second)
	testenv.NoError(t, b.checkouts.Poll(t.Context()))
}

// attempts counts the tries to charge a payment's card.
func (b *bundle) attempts(t testing.TB, p payment.Payment) (n int) {
	t.Helper()
	b.Get(t, &n, "select count(*) from card_attempt where payment_id = $1", p.ID)
	return n
}

func wantBack(t testing.TB, b *bundle, p payment.Payment, a answer) {
	t.Helper()
	want(t, "back to the payment", line(a.Code, a.To()), line(http.StatusSeeOther, b.path(p)))
}

// Each of the sandbox's cards, without script. A declined one may be followed
// by another: three in all.
func TestCardsWithoutScript(t *testing.T) {
	b := setup(t, true)
	p := b.create(t, "AZN", "quasi_ecom")
	for _, test := range []struct{ card, notice string }{
		{declinedCard, "Your bank declined this card, and nothing was charged. Try another card, or ask the bank for the reason. " +
			"You can try 2 more times."},
		{poorCard, "There is not enough money on this card, and nothing was charged. Top it up or try another card. " +
			"You can try 1 more time."},
	} {
		b.bought(t, p, test.card)
		again := b.page(t, b.path(p))
		wantText(t, again, "[role=alert]", test.notice)
		want(t, test.card+": another can be entered", line(b.status(t, p), again.Find("#pan").AttrOr("value", "")), "pending")
	}
	b.bought(t, p, approvedCard)
	end := b.page(t, b.path(p))
	wantText(t, end, "h1", "Payment received")
	wantText(t, end, "h1 ~ p:not(.amount)", "Your card payment went through. You can close this page and return to the shop.")
	wantText(t, end, ".order > :last-child", "Visa •••• 4242")
	want(t, "the payment, after cards", line(b.status(t, p), b.attempts(t, p)), "completed 3")

	for last, text := range map[string]string{
		declinedCard: "Your bank declined the card, and nothing was charged. " +
			"Ask the bank for the reason, or go back to the shop and pay with another card.",
		poorCard: "There is not enough money on the card, and nothing was charged. " +
			"Top it up, or go back to the shop and pay with another card.",
	} {
		p := b.create(t, "AZN", "quasi_ecom")
		for range 2 {
			b.bought(t, p, declinedCard)
		}
		b.bought(t, p, last)
		end := b.page(t, b.path(p))
		wantText(t, end, "h1", "The payment did not go through")
		wantText(t, end, "h1 ~ p:not(.amount)", text)
		want(t, "after three declined cards", b.status(t, p), "failed")
	}
}

// bought pays with a card, and has the bank answer.
func (b *bundle) bought(t *testing.T, p payment.Payment, number string) {
	t.Helper()
	wantBack(t, b, p, b.payWith(t, p, number))
	waiting := b.page(t, b.path(p))
	wantText(t, waiting, "h1", "Your bank is checking the card")
	wantText(t, waiting, "head noscript", `<meta http-equiv="refresh" content="10">`)
	b.answers(t)
}

func TestCodeWithoutScript(t *testing.T) {
	b := setup(t, true)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	b.answers(t)
	page := b.page(t, b.path(p))
	wantText(t, page, "h1", "Enter the code from your bank")
	wantText(t, page, ".card > .hint", "No code? It can be sent 3 more times.")
	want(t, "the page would load itself anew while the payer types", page.Find("noscript").Length(), 0)
	for name, wanted := range map[string]string{"autocomplete": "one-time-code", "inputmode": "numeric", "value": ""} {
		want(t, name+" is", page.Find("#otp").AttrOr(name, "(none)"), wanted)
	}
	wrong := b.mistaken(t, b.path(p)+"/code", "otp", "12a", "attempt", "0").Page(t)
	wantText(t, wrong, "#otp-error", "The code has 4 to 8 digits.")
	wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", "111111", "attempt", "0"))
	wantText(t, b.page(t, b.path(p)), "#otp-error", "The code is not right. Enter the one from the latest message. "+
		"You can enter a code 2 more times.")
	// The same form once more, kept by the browser, is no second wrong
	// code.
	for range 3 {
		wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", "111111", "attempt", "0"))
	}
	wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", "123456", "attempt", "1"))
	wantText(t, b.page(t, b.path(p)), "h1", "Payment received")
}

// The code alone, for a shop that has asked for the card itself, also before
// anybody asked for it.
func TestCodeOnlyPage(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	page := b.page(t, b.path(p)+"/code?lang=ru")
	wantText(t, page, "h1", "Введите код от банка")
	want(t, "it watches", page.Find("main").AttrOr("data-page", ""), b.path(p)+"/code?lang=ru")
	want(t, "Mongolian is at", page.Find(".languages a[lang=mn]").AttrOr("href", ""), b.path(p)+"/code?lang=mn")
	wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", "123456", "attempt", "0"))
	wantText(t, b.page(t, b.path(p)+"/code"), "h1", "The payment is being confirmed")
	b.answers(t)
	wantText(t, b.page(t, b.path(p)+"/code"), "h1", "Payment received")
}

// How often the code can be had again, and when: three times, 45 seconds apart.
func TestResends(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	b.answers(t)
	for i, want := range []string{
		"No code? It can be sent 2 more times.The next code can be requested in 0:45.",
		"No code? It can be sent 1 more time.The next code can be requested in 0:45.",
		"No further code can be requested.",
	} {
		if i == 0 { // the shop, and then the payer
			testenv.Must(b.checkouts.Resend(t.Context(), b.box(t, "AZN").Caller, p.UUID.String()))(t)
		} else {
			wantBack(t, b, p, b.post(t, b.path(p)+"/resend"))
		}
		again := b.post(t, b.path(p)+"/resend") // too early, or once too often: nothing is sent
		if i < 2 {
			wantText(t, b.page(t, again.To()), "[role=alert]", "It is too early for a new code.")
		}
		page := b.page(t, b.path(p))
		wantText(t, page, ".card > .hint", want)
		if got, want := page.Find(`form[action$="/resend"]`).Length(), 1; i < 2 && got != want || i == 2 && got != 0 {
			t.Errorf("after %d codes there are %d buttons", i+1, got)
		}
		b.clock.Advance(45 * time.Second)
	}
	want(t, "sent", b.Count(t, "select resends from checkout where payment_id = $1", p.ID), 3)
}

func TestWhatIsWrongWithACard(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	for _, test := range []struct{ number, expiry, cvv, holder, field, want string }{
		{"", "12/30", "123", "", "pan", "Enter the number of your card."},
		{"4242 4242 4242 4241", "12/30", "123", "", "pan", "Check the number: there is a mistake in it."},
		{"42", "12/30", "123", "", "pan", "Check the number: there is a mistake in it."},
		{approvedCard, "", "123", "", "expiry", "Enter month and year, for example 09/28."},
		{approvedCard, "13/30", "123", "", "expiry", "Enter month and year, for example 09/28."},
		{approvedCard, "soon", "123", "", "expiry", "Enter month and year, for example 09/28."},
		{approvedCard, "10/26", "123", "", "expiry", "This card has expired. Please use another one."},
		{approvedCard, "11/26", "12", "", "cvv", "Enter the 3 or 4 digits of the CVV."},
		{approvedCard, "11/2026", "98765", "", "cvv", "Enter the 3 or 4 digits of the CVV."},
		{approvedCard, "2026-11", "123", strings.Repeat("я", 65), "cardHolder", "Enter at most 64 characters."},
	} {
		a := b.mistaken(t, b.path(p)+"/card", "pan", test.number, "expiry", test.expiry, "cvv", test.cvv, "cardHolder", test.holder)
		page := a.Page(t)
		want(t, line(test, "errors"), page.Find(".error").Length(), 1)
		title := page.Find("title").Text()
		testenv.Check(t, strings.HasPrefix(title, "Error: "), "%+v: the title is %q", test, title)
		field := page.Find("#" + test.field)
		wantText(t, page, "#"+test.field+"-error", test.want)
		if _, focused := field.Attr("autofocus"); !focused || field.AttrOr("aria-invalid", "") != "true" ||
			!strings.Contains(field.AttrOr("aria-describedby", ""), test.field+"-error") {
			t.Errorf("%+v: the field does not say so", test)
		}
		shown := map[string]string{"expiry": test.expiry, "cardHolder": test.holder, "cvv": ""}
		if test.number == approvedCard {
			wantText(t, page, "[data-kept] strong", "•••• 4242")
		} else {
			shown["pan"] = test.number
		}
		for id, kept := range shown {
			want(t, line(test, id), page.Find("#"+id).AttrOr("value", "(none)"), kept)
		}
		testenv.Check(t, a.Header.Get("Cache-Control") == "no-store" && !strings.Contains(a.Body, approvedCard),
			"a browser may keep the page, or the page shows the number")
	}
	want(t, "a wrong card was charged", b.attempts(t, p), 0)
}

// Where nobody charges cards, that is said, and nothing is charged. The card
// works once somebody does.
func TestCardsAreOff(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	b.line.without.Store(p.TraderID)
	off := b.payWith(t, p, approvedCard)
	page := off.Page(t)
	wantText(t, page, "h1", "Cards are not accepted at the moment")
	wantText(t, page, "h1 + p", "Nothing was charged. Try again later, or choose another way to pay in the shop.")
	wantText(t, page, "a.button", "Try again")
	if got := page.Find("a.button").AttrOr("href", ""); off.Code != http.StatusServiceUnavailable || got != b.path(p) {
		t.Errorf("%d, and it leads to %s", off.Code, got)
	}
	want(t, "nothing is tried or shown", line(b.attempts(t, p), b.status(t, p), strings.Contains(off.Body, approvedCard[12:])),
		"0 pending false")
	b.line.without.Store(0)
	wantBack(t, b, p, b.payWith(t, p, approvedCard))
	b.answers(t)
	wantText(t, b.page(t, b.path(p)), "h1", "Payment received")
}

const cardLost = "The bank could not be reached, and nothing was charged. Please enter the card again."

// A card that never reached the bank is asked for again, and is charged once.
func TestCardIsLost(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	want(t, "something went wrong before anything began", b.page(t, b.path(p)).Find("[role=alert]").Length(), 0)
	b.line.cut.Store(true)
	wantBack(t, b, p, b.payWith(t, p, approvedCard))
	b.answers(t)
	page := b.page(t, b.path(p))
	wantText(t, page, "[role=alert]", cardLost)
	want(t, "the number comes back as", page.Find("#pan").AttrOr("value", "(none)"), "")
	b.line.cut.Store(false)
	wantBack(t, b, p, b.payWith(t, p, approvedCard))
	want(t, "it is still said while the bank checks the card", b.page(t, b.path(p)).Find("[role=alert]").Length(), 0)
	b.answers(t)
	wantText(t, b.page(t, b.path(p)), "h1", "Payment received")
	b.Audit(t)
}

// The same of a saved card: its security code is asked for again.
func TestSavedCardIsLost(t *testing.T) {
	b := setup(t, false)
	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "eva"), approvedCard)
	b.answers(t)
	p := b.createFor(t, "AZN", "quasi_ecom", "eva")
	b.line.cut.Store(true)
	wantBack(t, b, p, b.post(t, b.path(p), "cvv", "987", "card", savedID(b.page(t, b.path(p)))))
	b.answers(t)
	page := b.page(t, b.path(p))
	wantText(t, page, "[role=alert]", cardLost)
	want(t, "the saved card is gone", page.Find("[data-saved-card]").Length(), 1)
}

// A code that never reached the bank is asked for again, and is not counted as
// a wrong one.
func TestCodeIsLost(t *testing.T) {
	b := setup(t, false)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	b.answers(t)
	b.line.cut.Store(true)
	for range 3 {
		wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", "123456", "attempt", "0"))
		wantText(t, b.page(t, b.path(p)), "h1", "The payment is being confirmed")
		b.answers(t)
		wantText(t, b.page(t, b.path(p)), "#otp-error", "The code did not reach the bank. Please enter it again.")
	}
	b.line.cut.Store(false)
	wantBack(t, b, p, b.post(t, b.path(p)+"/code", "otp", "123456", "attempt", "0"))
	b.answers(t)
	wantText(t, b.page(t, b.path(p)), "h1", "Payment received")
}

// Each reason for which a card is not charged has words of its own, and what to
// do. Any other has words that hold always.
func TestWhyNotCharged(t *testing.T) {
	b := setup(t, false)
	for reason, text := range map[string]string{
		"card_declined": "Your bank declined the card, and nothing was charged. " +
			"Ask the bank for the reason, or go back to the shop and pay with another card.",
		"insufficient_funds": "There is not enough money on the card, and nothing was charged. " +
			"Top it up, or go back to the shop and pay with another card.",
		"card_expired":  "The card has expired, and nothing was charged. Go back to the shop and pay with another card.",
		"code_rejected": "The code was wrong three times, and nothing was charged. To pay, go back to the shop and start a new payment.",
		"anything_else": "Nothing was charged. If your bank shows the amount as reserved, it will be released. " +
			"To pay, go back to the shop and start a new payment.",
	} {
		p := b.create(t, "AZN", "quasi_ecom")
		b.set(t, p, "failed", &reason)
		page := b.page(t, b.path(p))
		wantText(t, page, "h1", "The payment did not go through")
		wantText(t, page, "h1 ~ p:not(.amount)", text)
	}
}
