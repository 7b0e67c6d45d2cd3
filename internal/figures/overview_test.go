package figures_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/figures"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// short are figures in short: payments, completed and ended ones, success, amount, median.
func short(f figures.Figures) string {
	text := func(d *decimal.Decimal) string {
		if d == nil {
			return "-"
		}
		return d.String()
	}
	return fmt.Sprint(f.Payments, f.Completed, f.Ended, " ", text(f.Success()), " ", text(f.Amount), " ", f.Median())
}

// week makes a payment of the shop's on 20 November, 12:00 UTC, which is paid after 100 seconds, and two a week later, of which
// one is paid after 30. Another merchant's is not theirs. An hour later they are counted.
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

// A week of a merchant's: today, the same day last week, and a method of which two of three ended well.
func TestOverview(t *testing.T) {
	b := setup(t)
	b.week(t, "sbp", "sim")
	owner := merchantUser(b.Shop, caller.Owner)
	o := testenv.Must(b.figures.Overview(t.Context(), owner, time.UTC))(t)
	testenv.Need(t, len(o.Today) == 1 && len(o.Methods) == 2 && len(o.Hours) == 168,
		"%d currencies, %d methods, %d hours", len(o.Today), len(o.Methods), len(o.Hours))
	// Of a single payment in the span from 30 s to 45 s half is taken to be below 37.5 s.
	want(t, "today", short(o.Today[0].Now), "3 1 2 50 200 38s")
	want(t, "last week", short(o.Today[0].LastWeek), "1 1 1 100 300 1m45s")
	want(t, "sbp", o.Methods[0].Method+" "+short(o.Methods[0].Figures), "sbp 2 1 2 50 200 38s")
	want(t, "sim", o.Methods[1].Method+" "+short(o.Methods[1].Figures), "sim 1 0 0 - - 0s")
	want(t, "the hour before", short(o.Hours[166].Figures), "3 1 2 50 - 38s")
	want(t, "this hour", short(o.Hours[167].Figures), "0 0 0 - - 0s")

	// In Tokyo the 27th began at 15:00 UTC of the 26th, and the 20th ended at 15:00 UTC.
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
