package portals_test

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
	"gateway.example/web/portal/portaltest"
)

// At another time other hours hold, and what is asked changes no order: the requisite whose hours begin at
// 15 would get a payment then, and does not get one before.
func TestRoutingAtAnotherTime(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	b.Exec(t, "update requisite set time_zone = 'UTC', work_from = '15:00', work_until = '16:00' where id = $1", b.Traders[0].Requisites[0])
	query := fmt.Sprintf("/operator/routing?cashboxId=%d&method=sbp&currency=RUB&amount=1500", b.Merchant.CashboxID)
	for at, want := range map[string]string{
		"": "It is refused", "&at=2026-11-20T15:30": "gets it", "&at=2026-11-20T16:30": "It is refused",
	} {
		wantIn(t, at, one.Get(t, query+at).Text(), want)
	}
	method := "sbp"
	_, err := b.Payments.Create(t.Context(), b.Merchant.Caller, payment.Request{
		OrderID: "early", Amount: "1500", Currency: "RUB", Method: &method, CallbackURI: "https://shop.example/hook",
	})
	if err == nil {
		t.Error("a payment got a requisite outside its hours")
	}
	// Who found none is counted, by hour and cause.
	noError(t, b.Payments.KeepRefusals(t.Context(), b.Pool))
	noError(t, b.Payments.KeepRefusals(t.Context(), b.Pool))
	wantIn(t, "refusals", one.Get(t, "/operator/routing").Text(), "working hours 1")
	b.Clock.Advance(26 * time.Hour)
	wantIn(t, "a day later", one.Get(t, "/operator/routing").Text(), "Every payment found a requisite")
}

// A payment keeps whom its choice passed by. Its page shows that beside today's rules, and the timeline tells operators alone.
func TestReplayPage(t *testing.T) {
	b := portaltest.Parallel(t)
	one := treasurer(t, b, "one")
	// The second trader's requisite takes only what is above 10000 and stands before the new one.
	third := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, MaxAmount: "10000"})
	first := b.Create(t, "1500")
	second := b.Create(t, "1600")
	text := one.Get(t, fmt.Sprintf("/operator/routing/payments/%d", second.ID)).Text()
	text = strings.ReplaceAll(text, " ", "")
	wantIn(t, "the page", text, fmt.Sprintf("№%dTrader№%d", third.Requisites[0], third.ID),
		fmt.Sprintf("№%d1limitsoftheamountlimitsoftheamount", b.Traders[1].Requisites[0]))
	wantIn(t, "the first", one.Get(t, fmt.Sprintf("/operator/routing/payments/%d", first.ID)).Text(), "Nothing was passed by")
	want(t, "no payment", one.Get(t, "/operator/routing/payments/987654").Code, http.StatusNotFound)
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
	c := told(b.Rooms.Reports.Timeline(t.Context(), portaltest.Admin, fmt.Sprint(second.ID)))
	want(t, "operators are told", fmt.Sprint(c.Passed), fmt.Sprintf("[{amount_limits [%d]}]", b.Traders[1].Requisites[0]))
	owner := third.Caller
	owner.Role = caller.Owner
	if c := told(b.Rooms.Reports.Timeline(t.Context(), owner, fmt.Sprint(second.ID))); c.Passed != nil {
		t.Errorf("a trader is told %v", c.Passed)
	}
}
