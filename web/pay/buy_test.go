package pay_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// acquiring has the acquirer answer as time goes by, until the test ends.
func (b *bundle) acquiring(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			b.clock.Advance(250 * time.Millisecond)
			_ = b.checkouts.Poll(ctx)
			time.Sleep(250 * time.Millisecond)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

// types types into a field, key by key.
func (b tab) types(selector, text string) {
	b.T.Helper()
	b.Type(selector, text)
}

func (b tab) value(selector string) string {
	b.T.Helper()
	return eval[string](b, `document.querySelector("`+selector+`").value`)
}

// Each card as a payer types it: grouped and named while they do, and the result comes by itself.
func TestBuy(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	b.acquiring(t)
	for _, test := range []struct{ currency, method, card, grouped, brand, title string }{
		{"AZN", "quasi_ecom", approvedCard, "4242 4242 4242 4242", "Visa", "Payment received"},
		{"TRY", "quasi_ecom", mastercardCard, "5555 5555 5555 4444", "Mastercard", "Payment received"},
		{"AZN", "quasi_ecom", declinedCard, "4000 0000 0000 0002", "Visa", "Amount to pay 1,500 AZN"},
		{"AZN", "quasi_ecom", poorCard, "4000 0000 0000 9995", "Visa", "Amount to pay 1,500 AZN"},
		{"RUB", "mtstpay", approvedCard, "4242 4242 4242 4242", "Visa", "Payment received"},
	} {
		t.Run(test.method+" "+test.card, func(t *testing.T) {
			t.Parallel()
			page := newTab(t)
			p := b.create(t, test.currency, test.method)
			page.Open(b.server.URL + b.path(p))
			page.types("#pan", test.card)
			page.types("#expiry", "1230")
			page.types("#cvv", "123")
			if number, expiry := page.value("#pan"), page.value("#expiry"); number != test.grouped ||
				expiry != "12/30" {
				t.Errorf("%q until %q", number, expiry)
			}
			if brand := page.Text(".brand"); brand != test.brand {
				t.Errorf("the card is a %q", brand)
			}
			page.Click("form .button")
			page.Await("h1", test.title)
			if got := page.Text(".order > :last-child"); test.title == "Payment received" &&
				got != test.brand+" •••• "+test.card[12:] {
				t.Errorf("paid with %q", got)
			}
			if want := map[string]string{"Payment received": "completed"}[test.title]; want != "" &&
				b.status(t, p) != want {
				t.Errorf("the payment is %s", b.status(t, p))
			}
		})
	}
}

func TestBuyWithCode(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	b.acquiring(t)
	page.Open(b.server.URL + b.path(b.create(t, "TRY", "quasi_ecom")) + "?lang=tr")
	page.types("#pan", codeCard)
	page.types("#expiry", "930")
	page.types("#cvv", "123"+kb.Enter)
	page.Await("h1", "Bankanızdan gelen kodu girin")
	page.types("#otp", "111111"+kb.Enter)
	page.Await("#otp-error", "Kod doğru değil. Son mesajdaki kodu girin. Üç yanlış koddan sonra ödeme sona erer.")
	if got := eval[string](page, `document.querySelector("[autofocus]").id`); got != "otp" {
		t.Errorf("the page begins at %q", got)
	}
	page.types("#otp", "123456"+kb.Enter)
	page.Await("h1", "Ödeme alındı")
}

// What a payer types stays when the page shows something new.
func TestTypingIsKept(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	page.Open(b.server.URL + b.path(p) + "/code")
	page.types("#otp", "1234")
	b.answers(t)
	_, err := b.checkouts.Resend(t.Context(), b.boxes["AZN"].Caller, p.UUID.String())
	noError(t, err)
	page.Await(".card > .hint", "No code? It can be sent 2 more times.")
	if got, at := page.value("#otp"), eval[string](page, "document.activeElement.id"); got != "1234" || at != "otp" {
		t.Errorf("%q is left, at %q", got, at)
	}
}

// A saved card is paid with by three taps at most, of which the page itself keeps count: one on the
// field of the code, though it has the keyboard already, and one on the button.
func TestBuyWithSavedCard(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	first := b.createFor(t, "AZN", "quasi_ecom", "eva")
	b.payWith(t, first, approvedCard)
	b.answers(t)
	page.Open(b.server.URL + b.path(b.createFor(t, "AZN", "quasi_ecom", "eva")))
	page.Await("[data-saved-card] strong", "Visa •••• 4242")
	eval[bool](
		page,
		`(addEventListener("click", event => { if (event.isTrusted) sessionStorage.taps = Number(sessionStorage.taps || 0) + 1 }, true), true)`,
	)
	if at := eval[string](page, "document.activeElement.id"); at != "cvv" {
		t.Errorf("the page begins at %q", at)
	}
	page.Click("#cvv")
	page.Do(chromedp.KeyEvent("123"))
	page.Click("form .button")
	page.Await("h1", "Your bank is checking the card")
	b.answers(t)
	page.Await("h1", "Payment received")
	if taps := eval[int](page, "Number(sessionStorage.taps)"); taps < 1 || taps > 3 {
		t.Errorf("paid in %d taps", taps)
	}
}

func TestBuyWithoutScript(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	page.WithoutScript()
	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	page.Click("form .button")
	page.Await("#pan-error", "Enter the number of your card.")
	if got := eval[string](page, `document.querySelector("[autofocus]").id`); got != "pan" {
		t.Errorf("the page begins at %q", got)
	}
	page.types("#pan", "4000 0025 0000 3155")
	page.types("#expiry", "12/30")
	page.types("#cvv", "123")
	page.Click("form .button")
	page.Await("h1", "Your bank is checking the card")
	b.answers(t)
	page.Await("h1", "Enter the code from your bank")
	page.types("#otp", "123456")
	page.Click("form .button")
	page.Await("h1", "Payment received")
}

// The page sees the deadline come, and the payer's cancel.
func TestBuyTooLate(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	b.clock.Advance(15 * time.Minute)
	page.Await("h1", "The time to pay is over")
	page.Open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	page.Click(".card > a.quiet:last-child")
	page.Click("form .button")
	page.Await("h1", "Payment cancelled")
}
