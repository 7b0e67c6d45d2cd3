package desk_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/desk"
	"gateway.example/web/portal/portaltest"
)

// The desk has one switch. A trader who has paused gets no payment, and the
// desk says so; who receives gets them. Those who only look after the desk see
// no USDT.
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

// A step of a payment by card is taken once, however often its form is sent:
// the payer's code is not asked for twice, and nobody is told that nothing was
// done.
func TestCardStepOnce(t *testing.T) {
	b := portaltest.Parallel(t)
	shop := b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{payment.MethodQuasiEcom}})
	trader := b.NewTrader(t, dbtest.TraderOpts{
		USDT: "10000", Requisites: 1, Currency: "AZN", Method: payment.MethodQuasiEcom,
	})
	method := payment.MethodQuasiEcom
	created := testenv.Must(b.Payments.Create(t.Context(), shop.Caller, payment.Request{
		OrderID: "card", Amount: "15", Currency: "AZN", Method: &method, CallbackURI: "https://shop.example/hook",
	}))(t)
	links := testenv.Must(auth.NewLinks([]byte(strings.Repeat("k", 32))))(t)
	testenv.Must(b.Services.Checkouts.SubmitDetails(t.Context(), links.Token(created.Payment.UUID), checkout.Details{
		Entry: card.Entry{PAN: "4000002500003155", ExpMonth: "12", ExpYear: "30", Holder: "IVAN IVANOV"}, CVV: "987",
	}))(t)
	p := b.Joins(t, "cards", caller.Trader, caller.Owner, trader.ID)
	for _, step := range [][2]string{{"code", "code-requested"}, {"resend", "code-resent"}} {
		form := p.Page(t, "/trader").Find("form[action$='/" + step[0] + "']")
		for range 2 {
			a := p.Post(t, form.AttrOr("action", ""), "token", form.Find("[name=token]").AttrOr("value", ""))
			want(t, step[0], a.Led(), "303 /trader "+step[1])
		}
	}
	want(t, "asked for", b.Count(t, "select resends from checkout"), 1)
}

// A desk with more payouts than it shows says that there are more.
func TestDeskSaysThereIsMore(t *testing.T) {
	t.Parallel()
	for n, shown := range map[int]string{0: "0", 19: "19", 20: "20+"} {
		want(t, fmt.Sprint(n), desk.Capped(n, 20), shown)
	}
}

func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	hidden                = portaltest.Hidden
)

// A line tells of what changes on the trader's own desk, whoever changed it,
// and of nothing else; it ends when the program is about to stop.
func TestLine(t *testing.T) {
	b, p := portaltest.Trader(t)
	events := listen(t, p)
	first := events.next(t, testenv.Patience)
	testenv.Need(t, first == ": open", "first %q", first)
	// At the first look nobody knows what happened since the page was made:
	// the page asks once more.
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
	response := testenv.Must(p.Bundle.Server.Client().Transport.RoundTrip(r))(t)
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

// next is what comes next within a time: "" is nothing, "end" the end of the
// line.
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

// A second line of a desk that is being watched already is told at once to ask:
// what happened between its page and the line was told to the first line only.
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
