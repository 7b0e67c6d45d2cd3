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
	for _, word := range []string{
		fmt.Sprintf("Requisite № %d gets it", first), fmt.Sprintf("№ %d", second), "limits of the amount", "Would get it",
	} {
		if !strings.Contains(text, word) {
			t.Errorf("nothing of %q: %s", word, text)
		}
	}
	if text := one.get(t, query+"0").text(); !strings.Contains(text, "must be at least 1") {
		t.Errorf("nothing: %s", text)
	}
	if a := one.get(t, query+"1500&at=soon"); a.code != http.StatusUnprocessableEntity {
		t.Errorf("a wrong time: %d", a.code)
	}
	if a := one.get(
		t,
		strings.Replace(query, "cashboxId=", "cashboxId=99", 1)+"1500",
	); a.code != http.StatusUnprocessableEntity {
		t.Errorf("an unknown cashbox: %d", a.code)
	}
}

// At another time other hours hold, and what is asked changes no order: the requisite whose hours begin at
// 15 would get a payment then, and does not get one before.
func TestRoutingAtAnotherTime(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	one := b.treasurer(t, "one")
	_, err := b.Pool.Exec(
		t.Context(),
		"update requisite set time_zone = 'UTC', work_from = '15:00', work_until = '16:00' where id = $1",
		b.traders[0].Requisites[0],
	)
	noError(t, err)
	query := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=1500", b.merchant.CashboxID)
	for at, want := range map[string]string{"": "It is refused", "&at=2026-11-20T15:30": "gets it", "&at=2026-11-20T16:30": "It is refused"} {
		if text := one.get(t, query+at).text(); !strings.Contains(text, want) {
			t.Errorf("%s: %s", at, text)
		}
	}
	method := "sbp"
	_, err = b.payments.Create(t.Context(), b.merchant.Caller, payment.Request{
		OrderID: "early", Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
	})
	if err == nil {
		t.Error("a payment got a requisite outside its hours")
	}
	// Who found none is counted, by hour and cause.
	noError(t, b.payments.KeepRefusals(t.Context(), b.Pool))
	noError(t, b.payments.KeepRefusals(t.Context(), b.Pool))
	text := one.get(t, "/operator/routing").text()
	if !strings.Contains(text, "working hours 1") {
		t.Errorf("refusals: %s", text)
	}
	b.clock.Advance(26 * time.Hour)
	if text := one.get(t, "/operator/routing").text(); !strings.Contains(text, "Every payment found a requisite") {
		t.Errorf("a day later: %s", text)
	}
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
		if !strings.Contains(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(word, " ", "")) {
			t.Errorf("nothing of %q: %s", word, text)
		}
	}
	if text := one.get(t, fmt.Sprintf("/operator/routing/payments/%d", first.ID)).
		text(); !strings.Contains(text, "Nothing was passed by") {
		t.Errorf("the first: %s", text)
	}
	if a := one.get(t, "/operator/routing/payments/987654"); a.code != http.StatusNotFound {
		t.Errorf("no payment: %d", a.code)
	}
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
		b.rooms.Reports.Timeline(
			t.Context(),
			caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1},
			fmt.Sprint(second.ID),
		),
	)
	if fmt.Sprint(c.Passed) != fmt.Sprintf("[{amount_limits [%d]}]", b.traders[1].Requisites[0]) {
		t.Errorf("operators are told %v", c.Passed)
	}
	owner := third.Caller
	owner.Role = caller.Owner
	if c := told(b.rooms.Reports.Timeline(t.Context(), owner, fmt.Sprint(second.ID))); c.Passed != nil {
		t.Errorf("a trader is told %v", c.Passed)
	}
}
