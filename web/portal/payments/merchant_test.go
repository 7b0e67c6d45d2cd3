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

// 1500 RUB at 105 are 14.28571428 USDT. A merchant sees the payments of all traders, and USDT of what was completed.
func TestMerchantPayments(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	b.Confirm(t, b.Create(t, "1500"))
	b.Create(t, "15000")
	uuid := b.Create(t, "2500").UUID.String()
	one := "1 | 1,500 ₽ | <b>1 | Completed | 14.28571428"
	two := "2 | 15,000 ₽ | <b>2 | Pending | "
	three := "3 | 2,500 ₽ | <b>3 | Pending | "
	for query, expected := range map[string][]string{
		"":                   {three, two, one},
		"?status=completed":  {one},
		"?min=2000&max=3000": {three},
		"?q=<b>2":            {two},
		"?q=" + uuid:         {three},
		"?q=1":               {one},
		"?q=nobody":          nil,
		"?method=card":       nil,
		"?cashbox=" + fmt.Sprint(b.Merchant.CashboxID): {three, two, one},
		"?cashbox=99999": nil,
	} {
		want(t, query, portaltest.List(t, p, "/merchant/payments"+strings.ReplaceAll(query, "<b>", "%3Cb%3E"), 0, 2, 4, 5, 6), expected)
	}
	want(t, "a cashbox that is none", p.Get(t, "/merchant/payments?cashbox=x").Code, 422)
	want(t, "of another merchant", len(rows(b.Stranger(t).Page(t, "/merchant/payments"))), 0)
	a := p.Get(t, "/merchant/payments.csv")
	if lines := strings.Split(strings.TrimSpace(a.Body), "\n"); len(lines) != 5 || lines[4] != "rows,3" {
		t.Errorf("the file:\n%s", a.Body)
	}
	want(t, "a file for support", b.As(t, caller.Support).Page(t, "/merchant/payments").Find("a[href*='.csv']").Length(), 0)
	a = p.Post(t, "/views", "name", "Done", "path", "/merchant/payments", "query", "status=completed")
	want(t, "a view", line(a.Code, a.To()), "303 /merchant/payments?status=completed")
}

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
