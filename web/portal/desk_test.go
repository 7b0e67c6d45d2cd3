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
	if job := p.page(t, "/trader").Find("#job-1").Text(); !strings.Contains(job, "1,500\u00a0₽") {
		t.Errorf("on the desk: %q", job)
	}
	page := p.page(t, "/trader/payments/1/confirm")
	for _, fact := range []string{"Payment 1", "1,500\u00a0₽", "SBP transfer", "14.28571428\u00a0USDT", "Yes, 1,500\u00a0₽ arrived"} {
		if !strings.Contains(page.Find("main").Text(), fact) {
			t.Errorf("the page does not say %q", fact)
		}
	}
	a := p.post(t, "/trader/payments/1/confirm", hidden(page)...)
	if a.code != http.StatusSeeOther || a.to() != "/trader" || b.status(t, pay) != "completed" {
		t.Fatalf("%d to %q, %s", a.code, a.to(), b.status(t, pay))
	}
	desk := p.page(t, "/trader")
	if said := desk.Find(".flash").Text(); !strings.Contains(said, "Confirmed") || desk.Find("#job-1").Length() != 0 {
		t.Errorf("the desk says %q", said)
	}
	if again := p.page(t, "/trader").Find(".flash").Length(); again != 0 {
		t.Error("what was done is said twice")
	}
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
			led[i] = fmt.Sprint(
				browser.post(t, "/trader/payments/1/cancel", fields...).to(),
				" ",
				browser.cookies["flash"],
			)
		})
	}
	clicks.Wait()
	again := p.post(t, "/trader/payments/1/cancel", fields...)
	led = append(led, again.to()+" "+p.cookies["flash"])
	for _, where := range led {
		if where != "/trader cancelled" {
			t.Errorf("led to %q", where)
		}
	}
	var moves int
	noError(
		t,
		b.Pool.QueryRow(t.Context(), "select count(*) from payment_history where payment_id = 1 and to_status = 'cancelled'").
			Scan(&moves),
	)
	if moves != 1 || b.status(t, pay) != "cancelled" {
		t.Errorf("cancelled %d times, %s", moves, b.status(t, pay))
	}
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
	if a.to() != "/trader/payments/1" || p.cookies["flash"] != "changed" || b.status(t, pay) != "cancelled" {
		t.Errorf("led to %q, %q, the payment is %s", a.to(), p.cookies["flash"], b.status(t, pay))
	}
	// Even set back to pending it is not what the first form was shown for; a form that never was
	// shown acts for nobody.
	if a := p.post(
		t,
		"/trader/payments/1/confirm",
		"token",
		"nonsense",
		"status",
		"pending",
	); a.code == http.StatusSeeOther &&
		a.to() == "/trader" {
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
		if a := other.post(t, "/trader/payments/1"+path, fields...); a.code != http.StatusNotFound {
			t.Errorf("POST %s: %d to %q", path, a.code, a.to())
		}
	}
	if status := b.status(t, pay); status != "pending" {
		t.Errorf("the payment is %s", status)
	}
	if text := other.get(t, "/trader").text(); !strings.Contains(text, "Open payments 0") {
		t.Errorf("the other's desk: %s", text)
	}
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
	if b.status(t, pay) != "pending" {
		t.Error("it is cancelled all the same")
	}
	// The same form may be sent again, corrected.
	if a := p.post(t, "/trader/payments/1/cancel", hidden(page, "reason", "no money")...); a.to() != "/trader" {
		t.Errorf("corrected: %d to %q", a.code, a.to())
	}
}

// On a break no payment comes, and the desk says so; those who only look after the desk see no USDT.
func TestBreakAndRole(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	b.user(t, "clerk", caller.Trader, caller.Desk, b.traders[0].ID)
	clerk := b.signIn(t, "clerk")
	if text := clerk.get(t, "/trader").text(); strings.Contains(text, "USDT") {
		t.Errorf("a clerk sees %s", text)
	}
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
	if text := p.get(t, "/trader").text(); !strings.Contains(text, "You are on a break") {
		t.Errorf("the desk: %s", text)
	}
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
	if got := events.next(t, 10*time.Second); got != "event: changed" {
		t.Errorf("at the first look %q", got)
	}
	b.create(t, "20000") // the other trader's
	if got := events.next(t, 2500*time.Millisecond); got != "" {
		t.Errorf("another desk's change tells %q", got)
	}
	b.create(t, "1500")
	if got := events.next(t, 10*time.Second); got != "event: changed" {
		t.Errorf("told %q", got)
	}
	b.stop()
	if got := events.next(t, 5*time.Second); got != "end" {
		t.Errorf("after the stop: %q", got)
	}
}

// A desk with more payouts than it shows says that there are more.
func TestDeskSaysThereIsMore(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 19: "19", 20: "20+"} {
		if got := view.Capped(n, 20); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
