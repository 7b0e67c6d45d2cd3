package pay_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
)

// A payer who is blocked reads that the card is not taken, beside a typed card and above a saved one, and not why.
func TestBlockedCardPage(t *testing.T) {
	b := setup(t, false)
	b.payWith(t, b.createFor(t, "AZN", "quasi_ecom", "eva"), approvedCard)
	b.answers(t)
	typed, saved := b.createFor(t, "AZN", "quasi_ecom", ""), b.createFor(t, "AZN", "quasi_ecom", "eva")
	_, err := b.settings.BlockPayer(t.Context(), caller.Caller{Kind: caller.Operator, Role: caller.Admin},
		directory.NewBlock{Kind: "address", Value: "127.0.0.1", Reason: "attack"})
	noError(t, err)
	const says = "This card cannot be used here. Use another card, or ask the shop."
	a := b.mistaken(t, b.path(typed)+"/card", "pan", approvedCard, "expiry", "12/30", "cvv", "123")
	wantText(t, parse(t, a), "#pan-error", says)
	a = b.mistaken(t, b.path(saved), "cvv", "123", "card", savedID(b.page(t, b.path(saved))))
	wantText(t, parse(t, a), "[role=alert]", says)
	wantNot(t, "why", a.body, "attack")
}
