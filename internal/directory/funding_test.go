package directory_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

func (b *bundle) wantTrader(t *testing.T, usdt string) {
	t.Helper()
	if got := b.Balance(t, ledger.Available(ledger.Trader, b.trader.ID)).String(); got != usdt {
		t.Errorf("the trader has %s, want %s", got, usdt)
	}
	b.Audit(t)
}

func TestFundAndWithdraw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	fund, withdraw := b.settings.FundTrader, b.settings.WithdrawTrader
	in := directory.Funding{TraderID: b.trader.ID, Amount: "100.12345678", Reference: " tx-1 "}
	c, err := fund(ctx, operator, in)
	wantChange(t, c, err, "trader_funding", c.SubjectKey, "amount", "new", 100.12345678)
	if value(t, c.After, "trader_id") != float64(b.trader.ID) || value(t, c.After, "reference") != "tx-1" {
		t.Errorf("kept %s", c.After)
	}
	b.wantTrader(t, "100.12345678")

	out := directory.Funding{TraderID: b.trader.ID, Amount: "0.12345678", Reference: "tx-2"}
	taken, err := withdraw(ctx, operator, out)
	wantChange(t, taken, err, "trader_funding", taken.SubjectKey, "amount", "new", -0.12345678)
	b.wantTrader(t, "100")

	// Repeats answer with what was done, however the number is written, and move nothing.
	again, err := fund(
		ctx,
		operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "0100.12345678", Reference: "tx-1"},
	)
	if err != nil || again.ID != c.ID || string(again.After) != string(c.After) {
		t.Errorf("again: %+v %v", again, err)
	}
	again, err = withdraw(ctx, operator, out)
	if err != nil || again.ID != taken.ID {
		t.Errorf("again: %+v %v", again, err)
	}
	b.wantTrader(t, "100")

	// Another movement under the same reference: amount, trader, direction.
	other := b.NewTrader(t, dbtest.TraderOpts{})
	for _, n := range []directory.Funding{
		{TraderID: b.trader.ID, Amount: "100.12345679", Reference: "tx-1"}, {TraderID: other.ID, Amount: "100.12345678", Reference: "tx-1"},
	} {
		_, err = fund(ctx, operator, n)
		wantFault(t, err, "idempotency_key_conflict")
		if f := fault.As(err); f == nil || f.Kind != fault.Conflict {
			t.Errorf("%v is no conflict", err)
		}
	}
	_, err = withdraw(ctx, operator, in)
	wantFault(t, err, "idempotency_key_conflict")
	b.wantTrader(t, "100")
}

func TestWithdrawTooMuch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	b.Fund(t, ledger.Available(ledger.Trader, b.trader.ID), "10")
	out := directory.Funding{TraderID: b.trader.ID, Amount: "10.00000001", Reference: "tx"}
	_, err := b.settings.WithdrawTrader(ctx, operator, out)
	wantFault(t, err, "insufficient_trader_balance")
	if f := fault.As(err); f == nil || f.Kind != fault.Refused {
		t.Errorf("%v is no refusal", err)
	}
	b.wantTrader(t, "10")
	// The refusal left the reference free.
	out.Amount = "10"
	if _, err := b.settings.WithdrawTrader(ctx, operator, out); err != nil {
		t.Error(err)
	}
	b.wantTrader(t, "0")
	// What is held for payments is not theirs to take.
	b.Fund(t, ledger.Reserved(ledger.Trader, b.trader.ID), "5")
	_, err = b.settings.WithdrawTrader(
		ctx,
		operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "1", Reference: "held"},
	)
	wantFault(t, err, "insufficient_trader_balance")
}

func TestWrongFunding(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	for _, wrong := range []string{"", "0", "0.00000000", "-1", "+1", "1e3", "x", "NaN", "1.000000001", "1000000000000"} {
		_, err := b.settings.FundTrader(
			ctx,
			operator,
			directory.Funding{TraderID: b.trader.ID, Amount: wrong, Reference: "tx"},
		)
		wantFields(t, err, "amount")
		_, err = b.settings.WithdrawTrader(ctx, operator, directory.Funding{TraderID: b.trader.ID, Amount: wrong})
		wantFields(t, err, "amount", "reference")
	}
	_, err := b.settings.FundTrader(
		ctx,
		operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "1", Reference: strings.Repeat("x", 256)},
	)
	wantFields(t, err, "reference")
	for _, unknown := range []int64{0, -1, 1 << 40} {
		_, err := b.settings.FundTrader(
			ctx,
			operator,
			directory.Funding{TraderID: unknown, Amount: "1", Reference: "tx"},
		)
		wantFault(t, err, "not_found")
	}
	b.wantTrader(t, "0")
	// The largest there is.
	_, err = b.settings.FundTrader(
		ctx,
		operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "999999999999.99999999", Reference: strings.Repeat("ж", 255)},
	)
	if err != nil {
		t.Error(err)
	}
	b.wantTrader(t, "999999999999.99999999")
}

// A double click, from several hands at once: one moves, all are told the same.
func TestParallelFunding(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var mu sync.Mutex
	var calls sync.WaitGroup
	answers := map[int64]int{}
	for range 10 {
		calls.Go(func() {
			c, err := b.settings.FundTrader(
				context.Background(),
				operator,
				directory.Funding{TraderID: b.trader.ID, Amount: "7", Reference: "tx"},
			)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[c.ID]++
		})
	}
	calls.Wait()
	if len(answers) != 1 {
		t.Errorf("answers %v", answers)
	}
	b.wantTrader(t, "7")
}

// Of withdrawals at once that together are too much, as many get through as there is money for.
func TestParallelWithdrawals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Trader, b.trader.ID), "35")
	var mu sync.Mutex
	var calls sync.WaitGroup
	taken := 0
	for i := range 10 {
		calls.Go(func() {
			_, err := b.settings.WithdrawTrader(context.Background(), operator,
				directory.Funding{TraderID: b.trader.ID, Amount: "10", Reference: "tx-" + strconv.Itoa(i)})
			if err != nil {
				wantFault(t, err, "insufficient_trader_balance")
				return
			}
			mu.Lock()
			defer mu.Unlock()
			taken++
		})
	}
	calls.Wait()
	if taken != 3 {
		t.Errorf("%d got through", taken)
	}
	b.wantTrader(t, "5")
}
