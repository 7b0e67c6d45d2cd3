package figures_test

import (
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// An operator is told how traders work: what was paid of what ended, how fast, and what could be given payments.
func TestTraders(t *testing.T) {
	b := setup(t)
	for i, status := range []string{"completed", "failed", "completed", "pending"} {
		made := b.Create(t, b.Shop, fmt.Sprint("order-", i))
		b.Clock.Advance(40 * time.Second)
		switch status {
		case "completed":
			b.Confirm(t, b.SBP, made.ID)
		case "failed":
			b.Set(t, made.ID, status)
			b.Clock.Advance(48 * time.Hour)
		}
	}
	b.Exec(t, "update requisite set enabled = false where trader_id = $1 and id = (select max(id) from requisite where trader_id = $1)", b.SBP.ID)
	ids := []int64{b.SBP.ID, 999}
	health := testenv.Must(b.figures.Traders(t.Context(), operator, ids, time.UTC))(t)
	h := health[b.SBP.ID]
	want(t, "health", fmt.Sprint(h.Completed, h.Ended, h.Success(), h.Median, len(h.Days), h.Days[4], h.Days[5], h.Days[6]), "2 3 66.7 40s 7 50 <nil> 100")
	want(t, "requisites", fmt.Sprint(h.Requisites-h.Usable), "1")
	want(t, "nobody", fmt.Sprint(health[999].Success(), health[999].Requisites), "<nil> 0")
	_, err := b.figures.Traders(t.Context(), traderUser(b.SBP, caller.Owner), ids, time.UTC)
	want(t, "a trader", dbtest.CodeOf(err), "token_kind_not_allowed")
}

// An operator is told how card attempts ended at each processor of a trader.
func TestProcessors(t *testing.T) {
	b := setup(t)
	made := b.Create(t, b.Shop, "order")
	old := b.CreateOf(t, b.Shop, "sbp", "old", "300")
	b.Exec(t, "update payment set created_at = created_at - interval '8 days' where id = $1", old.ID)
	for i, status := range []string{"approved", "approved", "declined", "lost", "open", "undoing"} {
		for _, id := range []int64{made.ID, old.ID} {
			b.Exec(t, `insert into card_attempt (merchant_id, id, payment_id, trader_id, status, created_at, poll_at, acquirer_id, progress_at,
				took_ms) values ($1, gen_random_uuid(), $2, $3, $4, now(), now(), $5, now(), $6)`, b.Shop.ID, id, b.SBP.ID, status, 7+i/5, i*100)
		}
	}
	health := testenv.Must(b.figures.Processors(t.Context(), operator, b.SBP.ID))(t)
	want(t, "processors", fmt.Sprint(health, health[7].Success(), health[8].Success(), health[9].Success()),
		"map[7:{5 2 1 1 100ms 200ms} 8:{1 1 0 0 500ms 500ms}] 50 100 <nil>")
	_, err := b.figures.Processors(t.Context(), traderUser(b.SBP, caller.Owner), b.SBP.ID)
	want(t, "a trader", dbtest.CodeOf(err), "token_kind_not_allowed")
}

// 1000 RUB are 10 USDT at spot, of which the trader's share of 2 percent is 0.2; a payout of as much earns them 0.2
// beside what they paid. The day begins at midnight in their zone: at 21:00 UTC it is tomorrow in Baku.
func TestEarned(t *testing.T) {
	b := setup(t)
	b.MayPayOut(t, b.Shop, b.SBP)
	paid := func(orderID, amount string) {
		made := b.CreateOf(t, b.Shop, "sbp", orderID, amount)
		b.Clock.Advance(40 * time.Second)
		b.Confirm(t, b.SBP, made.ID)
	}
	paid("ten days ago", "1000") // 20 November, 12:00 UTC
	b.Clock.Advance(240 * time.Hour)
	paid("yesterday's yesterday", "500")
	out := b.PayOut(t, b.Shop, "payout").UUID.String()
	desk := traderUser(b.SBP, caller.Desk)
	testenv.Must(b.Payouts.Take(t.Context(), desk, out))(t)
	testenv.Must(b.Payouts.Complete(t.Context(), desk, out, new("reference 1")))(t)
	b.Clock.Advance(31 * time.Hour)
	paid("yesterday in Baku", "1000")
	b.Clock.Advance(2 * time.Hour)
	paid("today", "1000")
	b.CreateOf(t, b.Shop, "sbp", "open", "1000")
	baku := testenv.Must(time.LoadLocation("Asia/Baku"))(t)
	for days, expected := range map[int]string{
		1: "2 0.4, 2 40s; 1 0.2", 7: "4 0.7, 3 40s; 0 0", 30: "5 0.9, 4 40s; 1 0.2", 90: "5 0.9, 4 40s; 1 0.2",
	} {
		all, slots, err := b.figures.Earned(t.Context(), traderUser(b.SBP, caller.Owner), days, baku)
		noError(t, err)
		last := slots[len(slots)-1]
		want(t, fmt.Sprint(days), fmt.Sprintf("%d %s, %d %s; %d %s", all.Count, all.USDT, all.Payments, all.Median, last.Count, last.USDT), expected)
	}
	_, _, err := b.figures.Earned(t.Context(), desk, 1, baku)
	testenv.Check(t, dbtest.CodeOf(err) == "role_not_allowed", "who may not see money: %v", err)
}
