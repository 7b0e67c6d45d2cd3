package directory_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

func (b *bundle) bridge(t *testing.T) {
	t.Helper()
	trader := b.NewTrader(t, dbtest.TraderOpts{})
	err := b.Queries().
		CashboxUpdate(context.Background(), db.CashboxUpdateParams{ID: b.merchant.CashboxID, SetBridge: true, TraderCashboxID: &trader.ID})
	if err != nil {
		t.Fatal(err)
	}
}

// balance is total, available, reserved and insurance, as the merchant reads them.
func (b *bundle) balance(t *testing.T) string {
	t.Helper()
	held := b.held(t)
	return fmt.Sprint(held.Total, " ", held.Available, " ", held.Reserved, " ", held.Insurance)
}

func (b *bundle) held(t *testing.T) deposit.Balance {
	t.Helper()
	held, err := deposit.New(b.Pools(), &dbtest.Clock{}).
		Balance(context.Background(), b.merchant.Caller, b.merchant.CashboxID)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func TestInsurance(t *testing.T) {
	t.Parallel()
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
		if got := b.balance(t); got != c.balance {
			t.Errorf("insured for %s: %s, want %s", c.amount, got, c.balance)
		}
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
	if got := b.balance(t); got != "100 100 0 0" {
		t.Errorf("after refusals: %s", got)
	}
}

// Operators who set it at the same time come one after the other: the last sum stands, and nothing
// is lost.
func TestParallelInsurance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.bridge(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "100")
	var setting sync.WaitGroup
	for i := range 10 {
		setting.Go(func() {
			if _, err := b.settings.SetInsurance(
				context.Background(),
				operator,
				b.merchant.CashboxID,
				strconv.Itoa(10*i),
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
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	trader := b.NewTrader(t, dbtest.TraderOpts{})
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	method := directory.CashboxPayoutMethod{
		CashboxID:     b.merchant.CashboxID,
		Name:          "sbp",
		Enabled:       true,
		MarkupPercent: "2.5",
	}
	change, err := b.settings.SetPayoutMethod(ctx, operator, method)
	wantChange(t, change, err, "cashbox_payout_method", box+"/sbp", "validity_seconds", "new", 86400.0)
	method.MarkupPercent, method.ValiditySeconds = "0", 604_800
	change, err = b.settings.SetPayoutMethod(ctx, operator, method)
	wantChange(t, change, err, "cashbox_payout_method", box+"/sbp", "markup_percent", 2.5, 0.0)
	for wrong, m := range map[string]directory.CashboxPayoutMethod{
		"method":          {CashboxID: b.merchant.CashboxID, Name: "sim", MarkupPercent: "1"},
		"markupPercent":   {CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "101"},
		"validitySeconds": {CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "1", ValiditySeconds: 604_801},
	} {
		_, err := b.settings.SetPayoutMethod(ctx, operator, m)
		wantFields(t, err, wrong)
	}
	_, err = b.settings.SetPayoutMethod(
		ctx,
		operator,
		directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp"},
	)
	wantFields(t, err, "markupPercent")
	_, err = b.settings.SetPayoutMethod(
		ctx,
		operator,
		directory.CashboxPayoutMethod{CashboxID: 1 << 50, Name: "sbp", MarkupPercent: "1"},
	)
	wantFault(t, err, "not_found")
	_, err = b.settings.SetPayoutMethod(ctx, b.merchant.Caller, method)
	wantFault(t, err, "token_kind_not_allowed")

	can := directory.TraderPayoutMethod{TraderID: trader.ID, Currency: "RUB", Method: "c2c", Enabled: true}
	change, err = b.settings.SetTraderPayoutMethod(ctx, operator, can)
	wantChange(t, change, err, "trader_payout_method", fmt.Sprintf("%d/RUB/c2c", trader.ID), "enabled", "new", true)
	can.Enabled = false
	change, err = b.settings.SetTraderPayoutMethod(ctx, operator, can)
	wantChange(t, change, err, "trader_payout_method", fmt.Sprintf("%d/RUB/c2c", trader.ID), "enabled", true, false)
	_, err = b.settings.SetTraderPayoutMethod(
		ctx,
		operator,
		directory.TraderPayoutMethod{TraderID: trader.ID, Currency: "AZN", Method: "c2c"},
	)
	wantFields(t, err, "method")
	_, err = b.settings.SetTraderPayoutMethod(
		ctx,
		operator,
		directory.TraderPayoutMethod{TraderID: 1 << 50, Currency: "RUB", Method: "c2c"},
	)
	wantFault(t, err, "not_found")
}

// wantFault wants a fault of the code.
func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}
