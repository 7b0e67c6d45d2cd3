package developers_test

import (
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/web/portal"
	"gateway.example/web/portal/portaltest"
)

// The health of an endpoint is of its attempts of the last days: 2 of 3 taken, half within 80 ms.
func TestHealth(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.Attempt(t, b.Tell(t, b.Merchant, 1, "dead"), 503, 9999, "long ago")
	b.Clock.Advance(8 * 24 * time.Hour)
	id := b.Tell(t, b.Merchant, 2, "delivered")
	b.Attempt(t, id, 500, 40, "<img src=x>\x00broken")
	b.Attempt(t, id, 200, 120, "")
	b.Attempt(t, id, 204, 80, "")
	page := p.Page(t, "/merchant/developers/webhooks")
	wantIn(t, "the page", words(page.Find(".requisites")), "Attempts 3", "2xx 66 %", "within 80 ms")
	want(t, "failures", page.Find("tbody tr").Length(), 1)
	wantIn(t, "the failure", words(page.Find("tbody")), "500, 40 ms", "<img src=x>broken")
	want(t, "a stranger's elements", page.Find("main img").Length(), 0)
}

// An event leads to what it is about, and not to a payout of the same number; whoever may not look at money is led nowhere.
func TestEventLeads(t *testing.T) {
	b, owner := portaltest.Member(t, caller.Owner)
	developer := b.As(t, caller.Developer)
	id := b.Tell(t, b.Merchant, 1, "delivered")
	for subject, led := range map[string]string{
		"payment": "Payment /merchant/payments/901", "deposit": "Deposit /merchant/deposits/901", "withdrawal": "Withdrawal /merchant/withdrawals/901",
	} {
		b.Exec(t, "update webhook_event set subject = $2 where id = $1", id, subject)
		name, href, _ := strings.Cut(led, " ")
		wantIn(t, subject, words(owner.Page(t, portal.EventPath(id)).Find(`main a[href="`+href+`"]`)), name+" № 901")
		theirs := developer.Page(t, portal.EventPath(id)).Find(`main a[href="` + href + `"]`)
		want(t, "a developer's "+subject, theirs.Length() == 1, subject == "payment")
	}
}
