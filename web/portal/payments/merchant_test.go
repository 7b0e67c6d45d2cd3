package payments_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/web/portal/portaltest"
)

// The page of a payment tells what the merchant knows of it, what was moved in its cashbox and what was
// sent to its endpoint; what a stranger wrote stays text.
func TestMerchantPayment(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	pay := b.Create(t, "1500")
	b.Clock.Advance(2 * time.Minute)
	b.Confirm(t, pay)
	b.Exec(t, `insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code, answer)
		select merchant_id, id, created_at, 12, 500, '<script>alert(1)</script>'::bytea from webhook_event`)
	page := p.Page(t, "/merchant/payments/1")
	text := words(page.Find("main"))
	wantIn(t, "the page", text, "Order <b>1", "You get 14.28571428 USDT", "You get 14.28571428",
		"+14.28571428 USDT available", "What is sent", "answered with 500 in 12 ms",
		"<script>alert(1)</script>")
	want(t, "scripts in the page", page.Find("main script").Length(), 0)
	wantNot(t, "support sees what was sent", words(b.As(t, caller.Support).Page(t, "/merchant/payments/1").Find("main")), "What is sent")
	past := p.Page(t, "/merchant/payments/1?at="+b.Clock.Now().Add(-2*time.Minute).UTC().Format("2006-01-02T15:04"))
	want(t, "then", words(past.Find(".headline .badge")), "Pending")
	if text := words(past.Find("main")); strings.Contains(text, "Completed") ||
		!strings.Contains(text, "This is how it stood at") {
		t.Errorf("then: %s", text)
	}
	for _, wrong := range []string{"nonsense", "2001-01-01T10:00"} {
		a := p.Get(t, "/merchant/payments/1?at="+wrong)
		want(t, wrong, line(a.Code, a.Page(t).Find("#at").AttrOr("value", "")), "422 "+wrong)
	}
}

// What came goes back to whom a user says, as a payout does: it is offered to whom may have payouts made, with a second factor of the
// last minutes. Support decides the rest.
func TestReturnIsOfferedAsPayouts(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	pay := b.Create(t, "1500")
	_, err := b.Payments.ConfirmCame(t.Context(), b.AsTrader(), pay.ID, payment.Came{Amount: new("700")})
	noError(t, err)
	path := fmt.Sprintf("/merchant/payments/%d", pay.ID)
	support := b.As(t, caller.Support)
	for name, who := range map[string]struct {
		*portaltest.Person
		offered, code int
	}{"an owner": {p, 3, 200}, "support": {support, 2, 403}} {
		want(t, "offered to "+name, who.Page(t, path).Find(`main a[href*="decision="]`).Length(), who.offered)
		want(t, "asked of "+name, who.Get(t, path+"/came?decision=return").Code, who.code)
	}
	b.Exec(t, "update payment set currency = 'KZT'")
	page := p.Page(t, path)
	want(t, "offered where nothing is paid out", page.Find(`main a[href*="decision="]`).Length(), 2)
	wantIn(t, "and why", words(page.Find("#came")), "no payouts are made in KZT")
	want(t, "asked for all the same", p.Get(t, path+"/came?decision=return").Code, 404)
	b.Exec(t, "update payment set currency = 'RUB'")
	form := p.Typed(t, path+"/came?decision=return", "method", "c2c", "address", "4111111111111111", "recipient", "Ivan Petrov")
	want(t, "decided by support", support.Post(t, path+"/came", form...).Code, 403)
	b.Exec(t, "update session set created_at = created_at - interval '6 minutes'")
	want(t, "offered later", p.Page(t, path).Find(`main a[href*="decision="]`).Length(), 3)
	want(t, "first of all a factor", strings.HasPrefix(p.Get(t, path+"/came?decision=return").To(), "/second-factor"), true)
	p.Post(t, path+"/came", form...)
	want(t, "decided without", b.Status(t, pay), "appeal")
}
