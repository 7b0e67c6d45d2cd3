package desk_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// Money has arrived: the page of the confirmation says of what, and sending its form completes the payment.
func TestConfirm(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	wantIn(t, "on the desk", p.Page(t, "/trader").Find("#job-1").Text(), "1,500\u00a0₽")
	wantIn(t, "another's desk", b.Trader(t, 1).Get(t, "/trader").Text(), "Open payments 0")
	page := p.Page(t, "/trader/payments/1/confirm")
	wantIn(t, "the page", page.Find("main").Text(), "Payment 1", "1,500\u00a0₽", "SBP transfer",
		"14.28571428\u00a0USDT", "Yes, 1,500\u00a0₽ arrived")
	a := p.Post(t, "/trader/payments/1/confirm", hidden(page)...)
	testenv.Need(t, a.Code == http.StatusSeeOther && a.To() == "/trader" && b.Status(t, pay) == "completed",
		"%d to %q, %s", a.Code, a.To(), b.Status(t, pay))
	desk := p.Page(t, "/trader")
	said := desk.Find(".flash").Text()
	testenv.Check(t, strings.Contains(said, "Confirmed") && desk.Find("#job-1").Length() == 0, "the desk says %q", said)
	want(t, "what was done is said twice", p.Page(t, "/trader").Find(".flash").Length(), 0)
	b.Exec(t, "update cashbox_method set amount_policy = 'exact'")
	second := b.Create(t, "1600")
	path := fmt.Sprintf("/trader/payments/%d", second.ID)
	page = p.Page(t, path+"/confirm?other")
	want(t, "a case", p.Post(t, path+"/confirm", hidden(page, "receivedAmount", "1200", "payer", "Anna")...).To(), "/trader")
	want(t, "status", b.Status(t, second), "appeal")
	wantIn(t, "its page", p.Page(t, path).Find("#came").Text(), "1,200\u00a0₽", "Anna", "400\u00a0₽")
	b.Audit(t)
}

// A reason that is too long comes back with what was typed, and nothing is done.
func TestReasonTooLong(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	long := strings.Repeat("<я>", 100)
	a := p.Post(t, "/trader/payments/1/cancel", hidden(p.Page(t, "/trader/payments/1/cancel"), "reason", long)...)
	page := a.Page(t)
	testenv.Check(t, a.Code == http.StatusUnprocessableEntity && page.Find("#reason").Text() == long &&
		page.Find("#reason-wrong").Length() == 1, "%d, %q", a.Code, page.Find("#reason").Text())
	title := page.Find("title").Text()
	testenv.Check(t, strings.HasPrefix(title, "Error: "), "titled %q", title)
	want(t, "it is cancelled all the same", b.Status(t, pay), "pending")
	// The same form may be sent again, corrected.
	want(t, "corrected", p.Post(t, "/trader/payments/1/cancel", hidden(page, "reason", "no money")...).To(), "/trader")
}

// The desk has one switch. A trader who has paused gets no payment, and the desk says so; who receives gets them. Those who only
// look after the desk see no USDT.
func TestReceivingAndRole(t *testing.T) {
	b, p := portaltest.Trader(t)
	clerk := b.Clerk(t)
	wantNot(t, "a clerk sees", clerk.Get(t, "/trader").Text(), "USDT")
	a := clerk.Post(t, "/trader/break", "on", "1")
	testenv.Need(t, a.Code == http.StatusSeeOther, "break: %d", a.Code)
	method := "sbp"
	_, err := b.Payments.Create(t.Context(), b.Merchant.Caller, payment.Request{
		OrderID: "break", Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
	})
	testenv.Check(t, err != nil, "a payment comes during the break")
	wantIn(t, "the desk", p.Get(t, "/trader").Text(), "You have paused", "Receive payments")
	want(t, "the switch stands out", p.Page(t, "/trader").Find(".receiving button.primary").Length(), 1)
	p.Post(t, "/trader/break", hidden(p.Page(t, "/trader"))...)
	wantIn(t, "the desk", p.Get(t, "/trader").Text(), "Receiving payments Pause")
	b.Create(t, "1500")
}

// A trader is told what they earn and how fast they confirm; who may not see money is not.
func TestEarnings(t *testing.T) {
	b := portaltest.Parallel(t)
	trader := b.Trader(t, 0)
	wantIn(t, "nothing yet", portaltest.Words(trader.Page(t, "/trader/earnings").Find("main .empty")), "Nothing was completed in this time")
	b.Exec(t, "update trader set share_percent = 2")
	made := b.Create(t, "1500")
	b.Clock.Advance(90 * time.Second)
	testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), made.ID))(t)
	wantIn(t, "the desk", portaltest.Words(trader.Page(t, "/trader").Find(".earned")), "Today 0.30 0.30000000 1 completed", "30 days 0.30")
	for _, days := range []string{"", "?days=1", "?days=7", "?days=90", "?days=8"} {
		page := trader.Page(t, "/trader/earnings"+days).Find("main")
		wantIn(t, days, portaltest.Words(page), "You earned 0.30 0.30000000 USDT", "Completed 1", "1 min 30 s")
		want(t, "charts", page.Find(".plot svg[role=img]").Length(), 2)
	}
	want(t, "a helper at the desk", b.Clerk(t).Get(t, "/trader/earnings").Code, http.StatusForbidden)
}

// A payment whose time has run out is confirmed on its own page, which says that it is late; the desk has it no more.
func TestLateOnItsPage(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	b.Clock.Advance(time.Hour)
	testenv.NoError(t, b.Payments.ExpireAll(t.Context()))
	want(t, "steps", p.Page(t, "/trader/payments/1").Find(".actions a[href='/trader/payments/1/cancel']").Length(), 0)
	want(t, "confirms", p.Page(t, "/trader/payments/1").Find(".actions a[href='/trader/payments/1/confirm']").Length(), 1)
	page := p.Page(t, "/trader/payments/1/confirm")
	wantIn(t, "the page", page.Find("main .note").Text(), "has run out")
	want(t, "led", p.Post(t, "/trader/payments/1/confirm", hidden(page)...).To(), "/trader")
	want(t, "status", b.Status(t, pay), "completed")
	wantIn(t, "the payment", p.Page(t, "/trader/payments/1").Find("main").Text(), "the money came late")
	want(t, "again", p.Get(t, "/trader/payments/1/confirm").To(), "/trader/payments/1")
	b.Audit(t)
}

// A trader says on the page of the confirmation that another amount came. What is no amount comes back with what is wrong; what the
// cashbox takes is kept, and stands on the payment's page; what it does not take waits for a decision, which is said.
func TestAnotherAmount(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	want(t, "the row leads there", p.Page(t, "/trader").Find("#job-1 a[href='/trader/payments/1/confirm?other']").Length(), 1)
	want(t, "it is folded", p.Page(t, "/trader/payments/1/confirm").Find("details[open]").Length(), 0)
	page := p.Page(t, "/trader/payments/1/confirm?other")
	want(t, "it is open", page.Find("details[open] #receivedAmount").Length(), 1)
	a := p.Post(t, "/trader/payments/1/confirm", hidden(page, "receivedAmount", "1 200,505")...)
	page = a.Page(t)
	want(t, "refused", a.Code, http.StatusUnprocessableEntity)
	wantIn(t, "refused", page.Find("details[open] #receivedAmount-wrong").Text(), "decimal")
	want(t, "typed", page.Find("#receivedAmount").AttrOr("value", ""), "1 200,505")
	b.Exec(t, "update cashbox_method set amount_policy = 'received'")
	want(t, "taken", p.Post(t, "/trader/payments/1/confirm", hidden(page, "receivedAmount", "1 200,50")...).To(), "/trader")
	want(t, "status", b.Status(t, pay), "completed")
	wantIn(t, "the payment's page", p.Page(t, "/trader/payments/1").Find("main").Text(), "What came", "1,200.50\u00a0₽", "What came: 1,200.50")
	b.Audit(t)
}

// A payment that waits for its rest is not offered to be cancelled.
func TestPartIsNotCancelled(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	path := fmt.Sprintf("/trader/payments/%d", pay.ID)
	form := hidden(p.Page(t, path+"/cancel"))
	testenv.Must(b.Payments.ConfirmCame(t.Context(), b.AsTrader(), pay.ID, payment.Came{Amount: new("700")}))(t)
	testenv.Must(b.Payments.DecideCase(t.Context(), portaltest.Admin, payment.CaseDecision{PaymentID: pay.ID, Decision: payment.WaitForRest}))(t)
	want(t, "offered", p.Page(t, path).Find(`a[href$="/cancel"]`).Length(), 0)
	want(t, "confirming", p.Page(t, path).Find(`a[href$="/confirm"]`).Length(), 1)
	portaltest.Says(t, p.Post(t, path+"/cancel", form...), "A part of this payment has come")
	want(t, "it is", b.Status(t, pay), "pending")
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	hidden                = portaltest.Hidden
)

// A line tells of what changes on the trader's own desk, whoever changed it, and of nothing else; it
// ends when the program is about to stop.
func TestLine(t *testing.T) {
	b, p := portaltest.Trader(t)
	events := listen(t, p)
	first := events.next(t, testenv.Patience)
	testenv.Need(t, first == ": open", "first %q", first)
	// At the first look nobody knows what happened since the page was made: the page asks once more.
	want(t, "at the first look", events.next(t, testenv.Patience), "event: changed")
	b.Create(t, "20000") // the other trader's
	want(t, "another desk's change tells", events.next(t, 2500*time.Millisecond), "")
	b.Create(t, "1500")
	want(t, "told", events.next(t, testenv.Patience), "event: changed")
	testenv.Must(b.Payments.KeepMoney(t.Context(), b.AsTrader(), b.Traders[0].Requisites[0], payment.Came{Amount: new("1500")}))(t)
	want(t, "told of money that fits", events.next(t, testenv.Patience), "event: changed")
	b.Exec(t, `insert into bank_message (id, trader_id, device_id, message_id, kind, sender, received_at, arrived_at, says, pattern, bank,
		currency, account, amount, state) values (1, $1, 1, 'a', 'sms', '900', now(), now(), 'incoming', '', 'sber', 'RUB', '', 1500, 'waiting')`,
		b.Traders[0].ID)
	want(t, "told of a message that waits", events.next(t, testenv.Patience), "event: changed")
	b.Stop()
	want(t, "after the stop", events.next(t, testenv.Patience), "end")
}

// listening is a line to the desk, as a browser keeps it.
type listening struct{ lines chan string }

// listen opens a line to the desk of whoever is signed in.
func listen(t testing.TB, p *portaltest.Person) listening {
	t.Helper()
	r := testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, p.Bundle.Server.URL+"/trader/live", nil))(t)
	r.AddCookie(&http.Cookie{Name: "session", Value: p.Cookie()})
	response := testenv.Must(http.DefaultTransport.RoundTrip(r))(t)
	t.Cleanup(func() { _ = response.Body.Close() })
	kind := response.Header.Get("Content-Type")
	testenv.Need(t, response.StatusCode == http.StatusOK && kind == "text/event-stream", "%d %s", response.StatusCode, kind)
	l := listening{make(chan string, 100)}
	go func() {
		defer close(l.lines)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			if line := scanner.Text(); line != "" && line != "data: " && line != ": beat" {
				l.lines <- line
			}
		}
	}()
	return l
}

// next is what comes next within a time: "" is nothing, "end" the end of the line.
func (l listening) next(t testing.TB, within time.Duration) string {
	t.Helper()
	select {
	case line, open := <-l.lines:
		if !open {
			return "end"
		}
		return line
	case <-time.After(within):
		return ""
	}
}

// A second line of a desk that is being watched already is told at once to ask: what happened between its page and the line
// was told to the first line only.
func TestSecondLineIsTold(t *testing.T) {
	_, p := portaltest.Trader(t)
	for range 2 {
		line := listen(t, p)
		if open, told := line.next(t, testenv.Patience), line.next(t,
			testenv.Patience); open != ": open" || told != "event: changed" {
			t.Errorf("%q, then %q", open, told)
		}
	}
}
