package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/report"
)

// figures are figures in short: payments, completed and ended ones, success, amount, median.
func figures(f report.Figures) string {
	text := func(d *decimal.Decimal) string {
		if d == nil {
			return "-"
		}
		return d.String()
	}
	return fmt.Sprint(f.Payments, f.Completed, f.Ended, " ", text(f.Success()), " ", text(f.Amount), " ", f.Median())
}

func want(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", name, got, want)
	}
}

// A week of a merchant's: today, the same day last week, and a method of which two of three ended well.
func TestOverview(t *testing.T) {
	b := setup(t)
	b.createOf(t, b.other, "sim", "foreign", "777")
	first := b.createOf(t, b.shop, "sbp", "first", "300") // 20 November, 12:00 UTC
	b.clock.Advance(100 * time.Second)                    // in the span from 90 s to 120 s
	b.confirm(t, b.sbp, first.ID)
	b.clock.Advance(167 * time.Hour) // 27 November, 11:01:40: the hour of the first one is yet to come
	second := b.createOf(t, b.shop, "sbp", "second", "200")
	third := b.createOf(t, b.shop, "sbp", "third", "100")
	b.createOf(t, b.shop, "sim", "fourth", "50")
	b.clock.Advance(30 * time.Second) // begins the span from 30 s to 45 s
	b.confirm(t, b.sbp, second.ID)
	b.set(t, third.ID, "failed")
	b.clock.Advance(time.Hour)
	b.countHours(t)

	owner := merchantUser(b.shop, caller.Owner)
	o := must(b.reports.Overview(t.Context(), owner, time.UTC))(t)
	if len(o.Today) != 1 || len(o.Methods) != 2 || len(o.Hours) != 168 {
		t.Fatalf("%d currencies, %d methods, %d hours", len(o.Today), len(o.Methods), len(o.Hours))
	}
	// Of a single payment in the span from 30 s to 45 s half is taken to be below 37.5 s.
	want(t, "today", figures(o.Today[0].Now), "3 1 2 50 200 38s")
	want(t, "last week", figures(o.Today[0].LastWeek), "1 1 1 100 300 1m45s")
	want(t, "sbp", o.Methods[0].Method+" "+figures(o.Methods[0].Figures), "sbp 2 1 2 50 200 38s")
	want(t, "sim", o.Methods[1].Method+" "+figures(o.Methods[1].Figures), "sim 1 0 0 - - 0s")
	want(t, "the hour before", figures(o.Hours[166].Figures), "3 1 2 50 - 38s")
	want(t, "this hour", figures(o.Hours[167].Figures), "0 0 0 - - 0s")

	// In Tokyo the 27th began at 15:00 UTC of the 26th, and the 20th ended at 15:00 UTC.
	o = must(b.reports.Overview(t.Context(), owner, time.FixedZone("", 9*3600)))(t)
	want(t, "since 15:00", o.From.UTC().String(), "2026-11-26 15:00:00 +0000 UTC")

	support := must(b.reports.Overview(t.Context(), merchantUser(b.shop, caller.Support), time.UTC))(t)
	want(t, "support", figures(support.Today[0].Now), "3 1 2 50 - 38s")
	if support.Balances != nil || support.Methods[0].Amount != nil {
		t.Error("support is shown money")
	}
	for _, who := range []caller.Caller{operator, traderUser(b.sbp, caller.Owner), b.shop.Caller} {
		if _, err := b.reports.Overview(t.Context(), who, time.UTC); code(err) != "token_kind_not_allowed" {
			t.Errorf("%s: %v", who.Kind, err)
		}
	}
}

// What waits is told where something does, to those who may see it.
func TestOverviewOfWhatWaits(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.shop.CashboxID), "12.5")
	owner := merchantUser(b.shop, caller.Owner)
	o := must(b.reports.Overview(t.Context(), owner, time.UTC))(t)
	if len(o.Queues) != 0 || len(o.Endpoints) != 0 {
		t.Errorf("nothing waits: %v, %v", o.Queues, o.Endpoints)
	}
	if len(o.Balances) != 1 || o.Balances[0].Available.String() != "12.5" || o.Balances[0].Total.String() != "12.5" {
		t.Errorf("balances: %v", o.Balances)
	}

	p := b.create(t, b.shop, "failed")
	b.set(t, p.ID, "failed")
	b.relay(t)
	b.attempt(t, b.shop.ID, p.ID)
	b.Exec(t, "update webhook_event set status = 'dead' where merchant_id = $1", b.shop.ID)
	for _, of := range []int64{b.shop.ID, b.other.ID} {
		b.Exec(
			t,
			`insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
			select $1, $2, 5, 'TRC20', 'T', gen_random_uuid(), now(), now() from generate_series(1, 100)`,
			of,
			b.shop.CashboxID,
		)
	}
	o = must(b.reports.Overview(t.Context(), owner, time.UTC))(t)
	want(t, "queues", fmt.Sprint(o.Queues), "[{deposits.waiting 99 true} {events.dead 1 false}]")
	if len(o.Endpoints) != 1 {
		t.Fatalf("endpoints: %v", o.Endpoints)
	}
	e := o.Endpoints[0]
	want(t, "endpoint", fmt.Sprint(e.Host, " ", e.Failures, "/", e.Attempts, " ", e.LastStatus), "shop.example 1/1 500")

	support := must(b.reports.Overview(t.Context(), merchantUser(b.shop, caller.Support), time.UTC))(t)
	if len(support.Queues) != 0 || len(support.Endpoints) != 0 {
		t.Errorf("support sees %v, %v", support.Queues, support.Endpoints)
	}
	other := must(b.reports.Overview(t.Context(), merchantUser(b.other, caller.Developer), time.UTC))(t)
	if len(other.Queues) != 0 || len(other.Endpoints) != 0 {
		t.Errorf("another merchant sees %v, %v", other.Queues, other.Endpoints)
	}
	b.clock.Advance(time.Hour)
	if o = must(b.reports.Overview(t.Context(), owner, time.UTC))(t); len(o.Endpoints) != 0 {
		t.Errorf("an hour later: %v", o.Endpoints)
	}
}
