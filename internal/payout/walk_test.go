package payout_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

// told is what the walk believes of one payout.
type told struct {
	p      payout.Payin
	status string
	taker  int
	frozen decimal.Decimal
}

// walk goes at random through creations and every step by everybody, in the right and in the wrong
// moments.
type walk struct {
	*bundle
	random    *rand.Rand
	m         dbtest.Merchant
	traders   []dbtest.Trader
	payouts   []*told
	available decimal.Decimal
	// earned is each trader's and, last, the platform's.
	earned []decimal.Decimal
}

// After every step of a seeded walk the books say what a model kept beside them says, and the audit
// is clean.
func TestWalk(t *testing.T) {
	t.Parallel()
	for _, seed := range testenv.Pick([]uint64{1}, []uint64{1, 2}) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			b := setup(t)
			w := &walk{
				bundle: b, random: rand.New(rand.NewPCG(seed, 0)), m: b.merchant(t, "60", dbtest.MerchantOpts{}),
				traders: []dbtest.Trader{b.trader(t, "sbp"), b.trader(t, "sbp")}, available: decimalOf("60"),
				earned: make([]decimal.Decimal, 3),
			}
			for step := range testenv.Pick(120, 200) {
				w.step(t, step)
				w.check(t, step)
			}
			// A walk that reached nothing proves nothing.
			for _, status := range []string{"completed", "failed", "cancelled", "expired"} {
				if !slices.ContainsFunc(w.payouts, func(p *told) bool { return p.status == status }) {
					t.Errorf("no payout was %s", status)
				}
			}
		})
	}
}

func (w *walk) step(t *testing.T, number int) {
	t.Helper()
	ctx := context.Background()
	if len(w.payouts) == 0 || w.random.IntN(3) == 0 {
		w.create(t, number)
		return
	}
	// Mostly one of the newest, of which some are still open.
	list := w.payouts
	if w.random.IntN(4) > 0 {
		list = list[max(0, len(list)-4):]
	}
	p, trader := list[w.random.IntN(len(list))], w.random.IntN(len(w.traders))
	who := w.traders[trader].Caller
	switch w.random.IntN(5) {
	case 0:
		_, err := w.bundle.payouts.Take(ctx, who, id(p.p))
		w.outcome(t, p, err, p.status == "waiting", "processing")
		if err == nil {
			p.taker = trader
		}
	case 1:
		_, err := w.bundle.payouts.Complete(ctx, who, id(p.p), new("tx"))
		w.outcome(t, p, err, p.status == "processing" && p.taker == trader, "completed")
	case 2:
		_, err := w.bundle.payouts.Fail(ctx, who, id(p.p), nil)
		w.outcome(t, p, err, p.status == "processing" && p.taker == trader, "failed")
	case 3:
		_, err := w.bundle.payouts.Cancel(ctx, w.m.Caller, id(p.p))
		w.outcome(t, p, err, p.status == "waiting", "cancelled")
	case 4:
		w.clock.Advance(time.Duration(w.random.Int64N(int64(day))))
		noError(t, w.bundle.payouts.ExpireAll(ctx))
		for _, p := range w.payouts {
			if p.status == "waiting" && !p.p.ExpiresAt.After(w.clock.Now()) {
				w.outcome(t, p, nil, true, "expired")
			}
		}
	}
}

// create asks for 1 to 2,500 RUB: at 100 RUB a USDT and 2% markup a hundredth and 2% of that is
// frozen.
func (w *walk) create(t *testing.T, number int) {
	t.Helper()
	amount := decimal.New(int64(100+w.random.IntN(250_000)), -2)
	r := request(fmt.Sprintf("order-%d", number))
	r.Amount = amount.String()
	frozen := amount.Mul(decimalOf("0.0102"))
	created, err := w.bundle.payouts.Create(context.Background(), w.m.Caller, r)
	if frozen.GreaterThan(w.available) {
		wantCode(t, err, "insufficient_cashbox_balance")
		return
	}
	noError(t, err)
	w.available = w.available.Sub(frozen)
	w.payouts = append(w.payouts, &told{p: created.Payin, status: "waiting", frozen: frozen})
}

// outcome notes what a step that should have moved the payout did, and wants a refusal of one that
// should not.
func (w *walk) outcome(t *testing.T, p *told, err error, moves bool, to string) {
	t.Helper()
	if moves != (err == nil) {
		t.Fatalf("payout %s to %s: %v", p.status, to, err)
	}
	if !moves {
		return
	}
	p.status = to
	switch to {
	case "failed", "cancelled", "expired":
		w.available = w.available.Add(p.frozen)
	case "completed":
		// Of a markup of 2% the trader's share is 1.5% of spot, rounded down.
		spot := p.p.Amount.Mul(decimalOf("0.01"))
		part := spot.Add(spot.Mul(decimalOf("0.015")).Truncate(8))
		w.earned[p.taker] = w.earned[p.taker].Add(part)
		w.earned[2] = w.earned[2].Add(p.frozen.Sub(part))
	}
}

func (w *walk) check(t *testing.T, step int) {
	t.Helper()
	reserved := decimal.Zero
	for _, p := range w.payouts {
		if p.status == "waiting" || p.status == "processing" {
			reserved = reserved.Add(p.frozen)
		}
	}
	for account, want := range map[ledger.Account]decimal.Decimal{
		ledger.Available(ledger.Cashbox, w.m.CashboxID): w.available, ledger.Reserved(ledger.Cashbox, w.m.CashboxID): reserved,
		ledger.Available(ledger.Trader, w.traders[0].ID): w.earned[0], ledger.Available(ledger.Trader, w.traders[1].ID): w.earned[1],
		ledger.Available(ledger.Platform, 0): w.earned[2],
	} {
		if got := w.Balance(t, account); !got.Equal(want) {
			t.Errorf("step %d: %s %d reserved=%v has %s, want %s", step, account.Owner, account.OwnerID,
				account.Reserved, got, want)
		}
	}
	w.Audit(t)
	if t.Failed() {
		t.FailNow()
	}
}
