package figures_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/figures"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the figures.
type bundle struct {
	*reporttest.Bundle
	figures *figures.Service
	metrics *prometheus.Registry
	hours   *figures.Hours
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := reporttest.New(t)
	metrics := prometheus.NewRegistry()
	return &bundle{b, figures.New(b.Pools(), b.Clock, nil), metrics, figures.NewHours(b.Pool, metrics)}
}

var (
	traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

	want = reporttest.Want
)

// short are figures in short: payments, completed and ended ones, success,
// amount, median.
func short(f figures.Figures) string {
	text := func(d *decimal.Decimal) string {
		if d == nil {
			return "-"
		}
		return d.String()
	}
	return fmt.Sprint(f.Payments, f.Completed, f.Ended, " ", text(f.Success()), " ", text(f.Amount), " ", f.Median())
}

// week makes a payment of the shop's on 20 November, 12:00 UTC, which is paid
// after 100 seconds, and two a week later, of which one is paid after 30.
// Another merchant's is not theirs. An hour later they are counted.
func (b *bundle) week(t *testing.T, methods ...string) (second, third payment.Payment) {
	t.Helper()
	b.CreateOf(t, b.Other, "sim", "foreign", "777")
	first := b.CreateOf(t, b.Shop, "sbp", "first", "300")
	b.Clock.Advance(100 * time.Second) // in the span from 90 s to 120 s
	b.Confirm(t, b.SBP, first.ID)
	b.Clock.Advance(167 * time.Hour) // 27 November, 11:01:40: the hour of the first one is yet to come
	second = b.CreateOf(t, b.Shop, "sbp", "second", "200")
	third = b.CreateOf(t, b.Shop, methods[0], "third", "100")
	for _, method := range methods[1:] {
		b.CreateOf(t, b.Shop, method, "fourth", "50")
	}
	b.Clock.Advance(30 * time.Second) // begins the span from 30 s to 45 s
	b.Confirm(t, b.SBP, second.ID)
	b.Set(t, third.ID, "failed")
	b.Clock.Advance(time.Hour)
	b.countHours(t)
	return second, third
}

// A week of a merchant's: today, the same day last week, and a method of which
// two of three ended well.
func TestOverview(t *testing.T) {
	b := setup(t)
	b.week(t, "sbp", "sim")
	owner := merchantUser(b.Shop, caller.Owner)
	o := testenv.Must(b.figures.Overview(t.Context(), owner, time.UTC))(t)
	testenv.Need(t, len(o.Today) == 1 && len(o.Methods) == 2 && len(o.Hours) == 168,
		"%d currencies, %d methods, %d hours", len(o.Today), len(o.Methods), len(o.Hours))
	// Of a single payment in the span from 30 s to 45 s half is taken to be
	// below 37.5 s.
	want(t, "today", short(o.Today[0].Now), "3 1 2 50 200 38s")
	want(t, "last week", short(o.Today[0].LastWeek), "1 1 1 100 300 1m45s")
	want(t, "sbp", o.Methods[0].Method+" "+short(o.Methods[0].Figures), "sbp 2 1 2 50 200 38s")
	want(t, "sim", o.Methods[1].Method+" "+short(o.Methods[1].Figures), "sim 1 0 0 - - 0s")
	want(t, "the hour before", short(o.Hours[166].Figures), "3 1 2 50 - 38s")
	want(t, "this hour", short(o.Hours[167].Figures), "0 0 0 - - 0s")

	// In Tokyo the 27th began at 15:00 UTC of the 26th, and the 20th ended
	// at 15:00 UTC.
	o = testenv.Must(b.figures.Overview(t.Context(), owner, time.FixedZone("", 9*3600)))(t)
	want(t, "since 15:00", o.From.UTC().String(), "2026-11-26 15:00:00 +0000 UTC")

	support := testenv.Must(b.figures.Overview(t.Context(), merchantUser(b.Shop, caller.Support), time.UTC))(t)
	want(t, "support", short(support.Today[0].Now), "3 1 2 50 - 38s")
	testenv.Want(t, support.Balances != nil || support.Methods[0].Amount != nil, false, "support is shown money")
	for _, who := range []caller.Caller{operator, traderUser(b.SBP, caller.Owner), b.Shop.Caller} {
		_, err := b.figures.Overview(t.Context(), who, time.UTC)
		want(t, string(who.Kind), dbtest.CodeOf(err), "token_kind_not_allowed")
	}
}

// What waits is told where something does, to those who may see it.
func TestOverviewOfWhatWaits(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.Shop.CashboxID), "12.5")
	owner := merchantUser(b.Shop, caller.Owner)
	o := testenv.Must(b.figures.Overview(t.Context(), owner, time.UTC))(t)
	want(t, "nothing waits", fmt.Sprint(o.Queues, o.Endpoints), "[] []")
	want(t, "the balance", fmt.Sprint(len(o.Balances), o.Balances[0].Available, o.Balances[0].Total), "1 12.5 12.5")

	p := b.Create(t, b.Shop, "failed")
	b.Set(t, p.ID, "failed")
	b.Relay(t)
	b.Attempt(t, b.Shop.ID, p.ID)
	b.Exec(t, "update webhook_event set status = 'dead' where merchant_id = $1", b.Shop.ID)
	for _, of := range []int64{b.Shop.ID, b.Other.ID} {
		b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
			select $1, $2, 5, 'TRC20', 'T', gen_random_uuid(), now(), now() from generate_series(1, 100)`,
			of, b.Shop.CashboxID)
	}
	o = testenv.Must(b.figures.Overview(t.Context(), owner, time.UTC))(t)
	want(t, "queues", fmt.Sprint(o.Queues), "[{deposits.waiting 99 true} {events.dead 1 false}]")
	testenv.Want(t, len(o.Endpoints), 1, "endpoints")
	e := o.Endpoints[0]
	want(t, "endpoint", fmt.Sprint(e.Host, " ", e.Failures, "/", e.Attempts, " ", e.LastStatus), "shop.example 1/1 500")

	support := testenv.Must(b.figures.Overview(t.Context(), merchantUser(b.Shop, caller.Support), time.UTC))(t)
	want(t, "support sees", fmt.Sprint(support.Queues, support.Endpoints), "[] []")
	other := testenv.Must(b.figures.Overview(t.Context(), merchantUser(b.Other, caller.Developer), time.UTC))(t)
	want(t, "another merchant sees", fmt.Sprint(other.Queues, other.Endpoints), "[] []")
	b.Clock.Advance(time.Hour)
	testenv.Want(t, len(testenv.Must(b.figures.Overview(t.Context(), owner, time.UTC))(t).Endpoints), 0, "endpoints an hour later")
}

// An operator is told how traders work: what was paid of what ended, how fast,
// and what could be given payments.
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

// 1000 RUB are 10 USDT at spot, of which the trader's share of 2 percent is
// 0.2; a payout of as much earns them 0.2 beside what they paid. The day begins
// at midnight in their zone: at 21:00 UTC it is tomorrow in Baku.
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
		testenv.NoError(t, err)
		last := slots[len(slots)-1]
		want(t, fmt.Sprint(days), fmt.Sprintf("%d %s, %d %s; %d %s", all.Count, all.USDT, all.Payments, all.Median, last.Count, last.USDT), expected)
	}
	_, _, err := b.figures.Earned(t.Context(), desk, 1, baku)
	testenv.Check(t, dbtest.CodeOf(err) == "role_not_allowed", "who may not see money: %v", err)
}
