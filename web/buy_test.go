package web_test

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
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (b tab) value(selector string) string {
	b.t.Helper()
	return eval[string](b, `document.querySelector("`+selector+`").value`)
}

// Each card as a payer types it: grouped and named while he does, and the result comes by itself.
func TestBuy(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	b.acquiring(t)
	for _, test := range []struct{ card, grouped, title string }{
		{approvedCard, "4242 4242 4242 4242", "Payment received"},
		{declinedCard, "4000 0000 0000 0002", "The payment did not go through"},
		{poorCard, "4000 0000 0000 9995", "The payment did not go through"},
	} {
		t.Run(test.card, func(t *testing.T) {
			t.Parallel()
			page := newTab(t)
			page.open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
			page.types("#pan", test.card)
			page.types("#expiry", "1230")
			page.types("#cvv", "123")
			if number, expiry := page.value("#pan"), page.value("#expiry"); number != test.grouped || expiry != "12/30" {
				t.Errorf("%q until %q", number, expiry)
			}
			if brand := page.text(".brand"); brand != "Visa" {
				t.Errorf("the card is a %q", brand)
			}
			page.click("form .button")
			page.await("h1", test.title)
		})
	}
}

func TestBuyWithCode(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	b.acquiring(t)
	page.open(b.server.URL + b.path(b.create(t, "TRY", "quasi_ecom")) + "?lang=tr")
	page.types("#pan", codeCard)
	page.types("#expiry", "930")
	page.types("#cvv", "123"+kb.Enter)
	page.await("h1", "Bankanızdan gelen kodu girin")
	page.types("#otp", "111111"+kb.Enter)
	page.await("#otp-error", "Kod doğru değil. Son mesajdaki kodu girin. Üç yanlış koddan sonra ödeme sona erer.")
	if got := eval[string](page, `document.querySelector("[autofocus]").id`); got != "otp" {
		t.Errorf("the page begins at %q", got)
	}
	page.types("#otp", "123456"+kb.Enter)
	page.await("h1", "Ödeme alındı")
}

// What a payer types stays when the page shows something new.
func TestTypingIsKept(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	p := b.create(t, "AZN", "quasi_ecom")
	b.payWith(t, p, codeCard)
	page.open(b.server.URL + b.path(p) + "/code")
	page.types("#otp", "1234")
	b.answers(t)
	_, err := b.checkouts.Resend(t.Context(), b.boxes["AZN"].Caller, p.UUID.String())
	noError(t, err)
	page.await(".card > .hint", "No code? The shop can request a new one 2 more times.")
	if got, at := page.value("#otp"), eval[string](page, "document.activeElement.id"); got != "1234" || at != "otp" {
		t.Errorf("%q is left, at %q", got, at)
	}
}

// A saved card is paid with by three taps at most: here the code's field has the keyboard already, and one presses the button.
func TestBuyWithSavedCard(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	first := b.createFor(t, "AZN", "quasi_ecom", "eva")
	b.payWith(t, first, approvedCard)
	b.answers(t)
	page.open(b.server.URL + b.path(b.createFor(t, "AZN", "quasi_ecom", "eva")))
	page.await("[data-saved-card] strong", "Visa •••• 4242")
	page.do(chromedp.KeyEvent("123"))
	page.click("form .button")
	page.await("h1", "Your bank is checking the card")
	b.answers(t)
	page.await("h1", "Payment received")
}

func TestBuyWithoutScript(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	page.withoutScript()
	page.open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	page.click("form .button")
	page.await("#pan-error", "Enter the number of your card.")
	if got := eval[string](page, `document.querySelector("[autofocus]").id`); got != "pan" {
		t.Errorf("the page begins at %q", got)
	}
	page.types("#pan", "4000 0025 0000 3155")
	page.types("#expiry", "12/30")
	page.types("#cvv", "123")
	page.click("form .button")
	page.await("h1", "Your bank is checking the card")
	b.answers(t)
	page.await("h1", "Enter the code from your bank")
	page.types("#otp", "123456")
	page.click("form .button")
	page.await("h1", "Payment received")
}

// The page sees the deadline come, and the payer's cancel.
func TestBuyTooLate(t *testing.T) {
	t.Parallel()
	b, page := setup(t, false), newTab(t)
	page.open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	b.clock.Advance(15 * time.Minute)
	page.await("h1", "The time to pay is over")
	page.open(b.server.URL + b.path(b.create(t, "AZN", "quasi_ecom")))
	page.click(".card > a.quiet:last-child")
	page.click("form .button")
	page.await("h1", "Payment cancelled")
}
