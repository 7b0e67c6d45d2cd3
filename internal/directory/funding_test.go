package directory_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func (b *bundle) wantTrader(t *testing.T, usdt string) {
	t.Helper()
	testenv.Want(t, b.Balance(t, ledger.Available(ledger.Trader, b.trader.ID)).String(), usdt, "the trader has")
	b.Audit(t)
}

func TestFundAndWithdraw(t *testing.T) {
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
	again, err := fund(ctx, operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "0100.12345678", Reference: "tx-1"})
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
	_, err = b.settings.WithdrawTrader(ctx, operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "1", Reference: "held"})
	wantFault(t, err, "insufficient_trader_balance")
}

func TestWrongFunding(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	for _, wrong := range []string{"", "0", "0.00000000", "-1", "+1", "1e3", "x", "NaN", "1.000000001", "1000000000000"} {
		_, err := b.settings.FundTrader(ctx, operator,
			directory.Funding{TraderID: b.trader.ID, Amount: wrong, Reference: "tx"})
		wantFields(t, err, "amount")
		_, err = b.settings.WithdrawTrader(ctx, operator, directory.Funding{TraderID: b.trader.ID, Amount: wrong})
		wantFields(t, err, "amount", "reference")
	}
	_, err := b.settings.FundTrader(ctx, operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "1", Reference: strings.Repeat("x", 256)})
	wantFields(t, err, "reference")
	for _, unknown := range []int64{0, -1, 1 << 40} {
		_, err := b.settings.FundTrader(ctx, operator,
			directory.Funding{TraderID: unknown, Amount: "1", Reference: "tx"})
		wantFault(t, err, "not_found")
	}
	b.wantTrader(t, "0")
	// The largest there is.
	_, err = b.settings.FundTrader(ctx, operator,
		directory.Funding{TraderID: b.trader.ID, Amount: "999999999999.99999999", Reference: strings.Repeat("ж", 255)})
	if err != nil {
		t.Error(err)
	}
	b.wantTrader(t, "999999999999.99999999")
}

// A double click, from several hands at once: one moves, all are told the same.
func TestParallelFunding(t *testing.T) {
	b := setup(t)
	var mu sync.Mutex
	var calls sync.WaitGroup
	answers := map[int64]int{}
	for range 10 {
		calls.Go(func() {
			c, err := b.settings.FundTrader(context.Background(), operator,
				directory.Funding{TraderID: b.trader.ID, Amount: "7", Reference: "tx"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[c.ID]++
		})
	}
	calls.Wait()
	testenv.Want(t, len(answers), 1, "answers %v", answers)
	b.wantTrader(t, "7")
}

// Of withdrawals at once that together are too much, as many get through as there is money for.
func TestParallelWithdrawals(t *testing.T) {
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
	testenv.Want(t, taken, 3, "got through")
	b.wantTrader(t, "5")
}

func (b *bundle) bridge(t *testing.T) {
	t.Helper()
	trader := b.NewTrader(t, dbtest.TraderOpts{})
	err := b.Queries().
		CashboxUpdate(context.Background(), db.CashboxUpdateParams{ID: b.merchant.CashboxID, SetBridge: true, TraderCashboxID: &trader.ID})
	noError(t, err)
}

// balance is total, available, reserved and insurance, as the merchant reads them.
func (b *bundle) balance(t *testing.T) string {
	t.Helper()
	held := b.held(t)
	return fmt.Sprint(held.Total, " ", held.Available, " ", held.Reserved, " ", held.Insurance)
}

func (b *bundle) held(t *testing.T) deposit.Balance {
	t.Helper()
	held, err := deposit.New(b.Pools(), &dbtest.Clock{}, foureyes.Rules{}).
		Balance(context.Background(), b.merchant.Caller, b.merchant.CashboxID)
	noError(t, err)
	return held
}

func TestInsurance(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	b.bridge(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "100")
	key := strconv.FormatInt(b.merchant.CashboxID, 10)
	set := func(amount string) (directory.Change, error) {
		return b.settings.SetInsurance(ctx, operator, b.merchant.CashboxID, amount)
	}
	for _, c := range []struct {
		amount, balance string
		before, after   float64
	}{
		{"30", "100 70 30 30", 0, 30}, {"100", "100 0 100 100", 30, 100}, {"100", "100 0 100 100", 100, 100},
		{"12.5", "100 87.5 12.5 12.5", 100, 12.5}, {"0", "100 100 0 0", 12.5, 0},
	} {
		change, err := set(c.amount)
		if c.before == c.after {
			if err != nil || change.ID != 0 {
				t.Errorf("unchanged: %+v (%v)", change, err)
			}
		} else {
			wantChange(t, change, err, "cashbox", key, "insurance_usdt", c.before, c.after)
		}
		testenv.Want(t, b.balance(t), c.balance, "insured for %s", c.amount)
		b.Audit(t)
	}
	_, err := set("100.00000001")
	wantFault(t, err, "insufficient_cashbox_balance")
	for _, wrong := range []string{"", "-1", "x", "1.000000001", "1000000000000"} {
		_, err := set(wrong)
		wantFields(t, err, "amount")
	}
	_, err = b.settings.SetInsurance(ctx, operator, 1<<50, "1")
	wantFault(t, err, "not_found")
	_, err = b.settings.SetInsurance(ctx, b.merchant.Caller, b.merchant.CashboxID, "1")
	wantFault(t, err, "token_kind_not_allowed")
	testenv.Want(t, b.balance(t), "100 100 0 0", "the balance after refusals")
}

// Operators who set it at the same time come one after the other: the last sum stands, and nothing
// is lost.
func TestParallelInsurance(t *testing.T) {
	b := setup(t)
	b.bridge(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "100")
	var setting sync.WaitGroup
	for i := range 10 {
		setting.Go(func() {
			if _, err := b.settings.SetInsurance(
				context.Background(), operator, b.merchant.CashboxID, strconv.Itoa(10*i),
			); err != nil {
				t.Error(err)
			}
		})
	}
	setting.Wait()
	if held := b.held(t); !held.Total.Equal(decimal.NewFromInt(100)) || !held.Reserved.Equal(held.Insurance) {
		t.Errorf("%+v", held)
	}
	b.Audit(t)
}

func TestPayoutSettings(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	trader := b.NewTrader(t, dbtest.TraderOpts{})
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	method := directory.CashboxPayoutMethod{
		CashboxID: b.merchant.CashboxID, Name: "sbp", Enabled: true, MarkupPercent: "2.5",
	}
	change, err := logged(b.settings.SetPayoutMethod(ctx, operator, method))
	wantChange(t, change, err, "cashbox_payout_method", box+"/sbp", "validity_seconds", "new", 86400.0)
	method.MarkupPercent, method.ValiditySeconds = "0", 604_800
	change, err = logged(b.settings.SetPayoutMethod(ctx, operator, method))
	wantChange(t, change, err, "cashbox_payout_method", box+"/sbp", "markup_percent", 2.5, 0.0)
	for wrong, m := range map[string]directory.CashboxPayoutMethod{
		"method":          {CashboxID: b.merchant.CashboxID, Name: "sim", MarkupPercent: "1"},
		"markupPercent":   {CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "101"},
		"validitySeconds": {CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "1", ValiditySeconds: 604_801},
	} {
		_, err := b.settings.SetPayoutMethod(ctx, operator, m)
		wantFields(t, err, wrong)
	}
	_, err = b.settings.SetPayoutMethod(ctx, operator,
		directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp"})
	wantFields(t, err, "markupPercent")
	_, err = b.settings.SetPayoutMethod(ctx, operator,
		directory.CashboxPayoutMethod{CashboxID: 1 << 50, Name: "sbp", MarkupPercent: "1"})
	wantFault(t, err, "not_found")
	_, err = b.settings.SetPayoutMethod(ctx, b.merchant.Caller, method)
	wantFault(t, err, "token_kind_not_allowed")

	can := directory.TraderPayoutMethod{TraderID: trader.ID, Currency: "RUB", Method: "c2c", Enabled: true}
	change, err = logged(b.settings.SetTraderPayoutMethod(ctx, operator, can))
	wantChange(t, change, err, "trader_payout_method", fmt.Sprintf("%d/RUB/c2c", trader.ID), "enabled", "new", true)
	can.Enabled = false
	change, err = logged(b.settings.SetTraderPayoutMethod(ctx, operator, can))
	wantChange(t, change, err, "trader_payout_method", fmt.Sprintf("%d/RUB/c2c", trader.ID), "enabled", true, false)
	_, err = b.settings.SetTraderPayoutMethod(ctx, operator,
		directory.TraderPayoutMethod{TraderID: trader.ID, Currency: "AZN", Method: "c2c"})
	wantFields(t, err, "method")
	_, err = b.settings.SetTraderPayoutMethod(ctx, operator,
		directory.TraderPayoutMethod{TraderID: 1 << 50, Currency: "RUB", Method: "c2c"})
	wantFault(t, err, "not_found")
}

// wantFault wants a fault of the code.
func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}
