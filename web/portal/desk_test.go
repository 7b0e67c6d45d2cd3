package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/web/portal/view"
)

// Money has arrived: the page of the confirmation says of what, and sending its form completes the
// payment.
func TestConfirm(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	wantIn(t, "on the desk", p.page(t, "/trader").Find("#job-1").Text(), "1,500\u00a0₽")
	page := p.page(t, "/trader/payments/1/confirm")
	wantIn(t, "the page", page.Find("main").Text(), "Payment 1", "1,500\u00a0₽", "SBP transfer",
		"14.28571428\u00a0USDT", "Yes, 1,500\u00a0₽ arrived")
	a := p.post(t, "/trader/payments/1/confirm", hidden(page)...)
	if a.code != http.StatusSeeOther || a.to() != "/trader" || b.status(t, pay) != "completed" {
		t.Fatalf("%d to %q, %s", a.code, a.to(), b.status(t, pay))
	}
	desk := p.page(t, "/trader")
	if said := desk.Find(".flash").Text(); !strings.Contains(said, "Confirmed") || desk.Find("#job-1").Length() != 0 {
		t.Errorf("the desk says %q", said)
	}
	want(t, "what was done is said twice", p.page(t, "/trader").Find(".flash").Length(), 0)
	b.Audit(t)
}

// A form acts once: a double click, the Back button and a repeat lead to the first outcome.
func TestFormActsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	fields := hidden(p.page(t, "/trader/payments/1/cancel"), "reason", "no money came")
	var clicks sync.WaitGroup
	led := make([]string, 3)
	for i := range led {
		browser := b.nobody()
		browser.cookies["session"] = p.cookie()
		clicks.Go(func() {
			led[i] = fmt.Sprint(browser.post(t, "/trader/payments/1/cancel", fields...).to(), " ",
				browser.cookies["flash"])
		})
	}
	clicks.Wait()
	again := p.post(t, "/trader/payments/1/cancel", fields...)
	led = append(led, again.to()+" "+p.cookies["flash"])
	for _, where := range led {
		want(t, "led to", where, "/trader cancelled")
	}
	moves := b.Count(t,
		"select count(*) from payment_history where payment_id = 1 and to_status = 'cancelled'")
	want(t, "cancelled", line(moves, b.status(t, pay)), "1 cancelled")
}

// Two tabs on one payment: the second one's form is stale and does nothing.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	first, second := p.page(t, "/trader/payments/1/cancel"), p.page(t, "/trader/payments/1/confirm")
	p.post(t, "/trader/payments/1/cancel", hidden(first)...)
	a := p.post(t, "/trader/payments/1/confirm", hidden(second)...)
	want(t, "led to", line(a.to(), p.cookies["flash"], b.status(t, pay)), "/trader/payments/1 changed cancelled")
	// Even set back to pending it is not what the first form was shown for; a form that never was
	// shown acts for nobody.
	if a := p.post(t, "/trader/payments/1/confirm", "token", "nonsense", "status",
		"pending"); a.code == http.StatusSeeOther && a.to() == "/trader" {
		t.Error("a form without a token of ours acts")
	}
}

// Another trader's payment is not found, whatever is asked of it, and nothing happens to it.
func TestForeignPayment(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	mine, other := b.trader(t, 0), b.trader(t, 1)
	pay := b.create(t, "1500")
	fields := hidden(mine.page(t, "/trader/payments/1/confirm"))
	for _, path := range []string{"/confirm", "/cancel", "/code", "/resend", "/no-code"} {
		want(t, "POST", other.post(t, "/trader/payments/1"+path, fields...).code, http.StatusNotFound)
	}
	want(t, "the payment is", b.status(t, pay), "pending")
	wantIn(t, "the other's desk", other.get(t, "/trader").text(), "Open payments 0")
}

// A reason that is too long comes back with what was typed, and nothing is done.
func TestReasonTooLong(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	pay := b.create(t, "1500")
	long := strings.Repeat("<я>", 100)
	fields := hidden(p.page(t, "/trader/payments/1/cancel"), "reason", long)
	a := p.post(t, "/trader/payments/1/cancel", fields...)
	page := a.page(t)
	if a.code != http.StatusUnprocessableEntity || page.Find("#reason").Text() != long ||
		page.Find("#reason-wrong").Length() != 1 {
		t.Errorf("%d, %q", a.code, page.Find("#reason").Text())
	}
	if title := page.Find("title").Text(); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("titled %q", title)
	}
	want(t, "it is cancelled all the same", b.status(t, pay), "pending")
	// The same form may be sent again, corrected.
	want(t, "corrected", p.post(t, "/trader/payments/1/cancel", hidden(page, "reason", "no money")...).to(), "/trader")
}

// On a break no payment comes, and the desk says so; those who only look after the desk see no USDT.
func TestBreakAndRole(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	b.user(t, "clerk", caller.Trader, caller.Desk, b.traders[0].ID)
	clerk := b.signIn(t, "clerk")
	wantNot(t, "a clerk sees", clerk.get(t, "/trader").text(), "USDT")
	if a := clerk.post(t, "/trader/break", "on", "1"); a.code != http.StatusSeeOther {
		t.Fatalf("break: %d", a.code)
	}
	method := "sbp"
	_, err := b.payments.Create(t.Context(), b.merchant.Caller, payment.Request{
		OrderID: "break", Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
	})
	if err == nil {
		t.Error("a payment comes during the break")
	}
	wantIn(t, "the desk", p.get(t, "/trader").text(), "You are on a break")
	p.post(t, "/trader/break", "on", "0")
	b.create(t, "1500")
}

// A line tells of what changes on the trader's own desk, whoever changed it, and of nothing else; it
// ends when the program is about to stop.
func TestLine(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	events := p.listen(t)
	if first := events.next(t, 5*time.Second); first != ": open" {
		t.Fatalf("first %q", first)
	}
	// At the first look nobody knows what happened since the page was made: the page asks once more.
	want(t, "at the first look", events.next(t, 10*time.Second), "event: changed")
	b.create(t, "20000") // the other trader's
	want(t, "another desk's change tells", events.next(t, 2500*time.Millisecond), "")
	b.create(t, "1500")
	want(t, "told", events.next(t, 10*time.Second), "event: changed")
	b.stop()
	want(t, "after the stop", events.next(t, 5*time.Second), "end")
}

// A desk with more payouts than it shows says that there are more.
func TestDeskSaysThereIsMore(t *testing.T) {
	t.Parallel()
	for n, shown := range map[int]string{0: "0", 19: "19", 20: "20+"} {
		want(t, fmt.Sprint(n), view.Capped(n, 20), shown)
	}
}
