package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
)

// The dry run says who would get a payment and what drops the others, and makes nothing.
func TestRoutingPage(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	first, second := b.traders[0].Requisites[0], b.traders[1].Requisites[0]
	query := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=", b.merchant.CashboxID)
	page := one.page(t, query+"1500")
	rows := page.Find("tbody").First().Find("tr")
	if rows.Length() != 2 {
		t.Fatalf("%d candidates", rows.Length())
	}
	text := strings.Join(strings.Fields(page.Find("main").Text()), " ")
	wantIn(t, "the page", text, fmt.Sprintf("Requisite № %d gets it", first),
		fmt.Sprintf("№ %d", second), "limits of the amount", "Would get it")
	wantIn(t, "nothing", one.get(t, query+"0").text(), "must be at least 1")
	if a := one.get(t, query+"1500&at=soon"); a.code != http.StatusUnprocessableEntity {
		t.Errorf("a wrong time: %d", a.code)
	}
	want(t, "an unknown cashbox", one.get(t, strings.Replace(query, "cashboxId=", "cashboxId=99", 1)+"1500").code,
		http.StatusUnprocessableEntity)
}

// At another time other hours hold, and what is asked changes no order: the requisite whose hours begin at
// 15 would get a payment then, and does not get one before.
func TestRoutingAtAnotherTime(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	b.Exec(t, "update requisite set time_zone = 'UTC', work_from = '15:00', work_until = '16:00' where id = $1",
		b.traders[0].Requisites[0])
	query := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=1500", b.merchant.CashboxID)
	for at, want := range map[string]string{"": "It is refused", "&at=2026-11-20T15:30": "gets it", "&at=2026-11-20T16:30": "It is refused"} {
		wantIn(t, at, one.get(t, query+at).text(), want)
	}
	method := "sbp"
	_, err := b.payments.Create(t.Context(), b.merchant.Caller, payment.Request{
		OrderID: "early", Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
	})
	if err == nil {
		t.Error("a payment got a requisite outside its hours")
	}
	// Who found none is counted, by hour and cause.
	noError(t, b.payments.KeepRefusals(t.Context(), b.Pool))
	noError(t, b.payments.KeepRefusals(t.Context(), b.Pool))
	text := one.get(t, "/operator/routing").text()
	wantIn(t, "refusals", text, "working hours 1")
	b.clock.Advance(26 * time.Hour)
	wantIn(t, "a day later", one.get(t, "/operator/routing").text(), "Every payment found a requisite")
}

// A payment keeps whom its choice passed by. Its page shows that beside today's rules, and the timeline tells
// operators alone.
func TestReplayPage(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	// The second trader's requisite takes only what is above 10000 and stands before the new one.
	third := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MaxAmount: "10000"})
	first := b.create(t, "1500")
	second := b.create(t, "1600")
	text := one.get(t, fmt.Sprintf("/operator/routing/payments/%d", second.ID)).text()
	for _, word := range []string{
		fmt.Sprintf("№ %d Trader № %d", third.Requisites[0], third.ID),
		fmt.Sprintf("№ %d1limits of the amountlimits of the amount", b.traders[1].Requisites[0]),
	} {
		wantIn(t, "the page", strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(word, " ", ""))
	}
	wantIn(t, "the first", one.get(t, fmt.Sprintf("/operator/routing/payments/%d", first.ID)).text(),
		"Nothing was passed by")
	want(t, "no payment", one.get(t, "/operator/routing/payments/987654").code, http.StatusNotFound)
	told := func(lines []report.Line, err error) *report.Choice {
		t.Helper()
		noError(t, err)
		for _, line := range lines {
			if line.Choice != nil {
				return line.Choice
			}
		}
		t.Fatal("no choice is told")
		return nil
	}
	c := told(
		b.rooms.Reports.Timeline(t.Context(), caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1},
			fmt.Sprint(second.ID)),
	)
	want(t, "operators are told", fmt.Sprint(c.Passed),
		fmt.Sprintf("[{amount_limits [%d]}]", b.traders[1].Requisites[0]))
	owner := third.Caller
	owner.Role = caller.Owner
	if c := told(b.rooms.Reports.Timeline(t.Context(), owner, fmt.Sprint(second.ID))); c.Passed != nil {
		t.Errorf("a trader is told %v", c.Passed)
	}
}
