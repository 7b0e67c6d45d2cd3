package report_test

import (
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// 1000 RUB are 10 USDT at spot, of which the trader's share of 2 percent is 0.2; a payout of as much earns them 0.2
// beside what they paid. The day begins at midnight in their zone: at 21:00 UTC it is tomorrow in Baku.
func TestEarned(t *testing.T) {
	b := setup(t)
	b.mayPayOut(t, b.shop, b.sbp)
	paid := func(orderID, amount string) {
		made := b.createOf(t, b.shop, "sbp", orderID, amount)
		b.clock.Advance(40 * time.Second)
		b.confirm(t, b.sbp, made.ID)
	}
	paid("ten days ago", "1000") // 20 November, 12:00 UTC
	b.clock.Advance(240 * time.Hour)
	paid("yesterday's yesterday", "500")
	out := b.payOut(t, b.shop, "payout").UUID.String()
	desk := traderUser(b.sbp, caller.Desk)
	testenv.Must(b.payouts.Take(t.Context(), desk, out))(t)
	testenv.Must(b.payouts.Complete(t.Context(), desk, out, new("reference 1")))(t)
	b.clock.Advance(31 * time.Hour)
	paid("yesterday in Baku", "1000")
	b.clock.Advance(2 * time.Hour)
	paid("today", "1000")
	b.createOf(t, b.shop, "sbp", "open", "1000")
	baku := testenv.Must(time.LoadLocation("Asia/Baku"))(t)
	for days, expected := range map[int]string{
		1: "2 0.4, 2 40s; 1 0.2", 7: "4 0.7, 3 40s; 0 0", 30: "5 0.9, 4 40s; 1 0.2", 90: "5 0.9, 4 40s; 1 0.2",
	} {
		all, slots, err := b.reports.Earned(t.Context(), traderUser(b.sbp, caller.Owner), days, baku)
		noError(t, err)
		last := slots[len(slots)-1]
		want(t, fmt.Sprint(days), fmt.Sprintf("%d %s, %d %s; %d %s", all.Count, all.USDT, all.Payments, all.Median, last.Count, last.USDT), expected)
	}
	_, _, err := b.reports.Earned(t.Context(), desk, 1, baku)
	testenv.Check(t, dbtest.CodeOf(err) == "role_not_allowed", "who may not see money: %v", err)
}
