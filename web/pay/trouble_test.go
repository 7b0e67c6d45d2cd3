package pay_test

import (
	"net/http"
	"strings"
	"testing"
)

// Where nobody charges cards, that is said, and nothing is charged. The card works once somebody does.
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

// A code that never reached the bank is asked for again, and is not counted as a wrong one.
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

// Each reason for which a card is not charged has words of its own, and what to do. Any other has words that hold always.
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
