package cashbox_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"gateway/internal/auth"
	"gateway/internal/cashbox"
	"gateway/internal/db"
	"gateway/internal/dbtest"
	"gateway/internal/fault"
	"gateway/internal/ledger"
)

func (d *desk) bridge(t *testing.T) int64 {
	t.Helper()
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	err := d.Queries().CashboxUpdate(context.Background(), db.CashboxUpdateParams{ID: d.merchant.CashboxID, SetBridge: true, TraderCashboxID: &trader.ID})
	if err != nil {
		t.Fatal(err)
	}
	return trader.ID
}

// balance is total, available, reserved and insurance, as the merchant reads them.
func (d *desk) balance(t *testing.T) string {
	t.Helper()
	b, err := d.accounts.Balance(context.Background(), d.merchant.Caller, d.merchant.CashboxID)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(b.Total, " ", b.Available, " ", b.Reserved, " ", b.Insurance)
}

func TestBalance(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	read := func(caller auth.Caller, id int64) error {
		_, err := d.accounts.Balance(ctx, caller, id)
		return err
	}
	// Whose it is comes before what it lacks.
	stranger := d.newMerchant(t)
	wantFault(t, read(stranger.Caller, d.merchant.CashboxID), "cashbox_access_denied")
	wantFault(t, read(d.merchant.Caller, d.merchant.CashboxID), "cashbox_without_trader_bridge")
	for _, unknown := range []int64{0, -1, 1 << 50} {
		wantFault(t, read(d.merchant.Caller, unknown), "not_found")
	}
	wantFault(t, read(operator, d.merchant.CashboxID), "token_kind_not_allowed")
	trader := d.bridge(t)
	// Any key of the merchant may.
	other := d.merchant.Caller
	other.Scopes, other.CashboxID = []string{}, nil
	if b, err := d.accounts.Balance(ctx, other, d.merchant.CashboxID); err != nil || b.TraderCashboxID != trader || b.CashboxID != d.merchant.CashboxID {
		t.Errorf("another key: %+v %v", b, err)
	}
	if got := d.balance(t); got != "0 0 0 0" {
		t.Errorf("empty: %s", got)
	}
	d.Fund(t, ledger.Available(ledger.Cashbox, d.merchant.CashboxID), "100.12345678")
	if got := d.balance(t); got != "100.12345678 100.12345678 0 0" {
		t.Errorf("funded: %s", got)
	}
}

func TestInsurance(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	d.bridge(t)
	d.Fund(t, ledger.Available(ledger.Cashbox, d.merchant.CashboxID), "100")
	key := strconv.FormatInt(d.merchant.CashboxID, 10)
	set := func(amount string) (cashbox.Change, error) {
		return d.settings.SetInsurance(ctx, operator, d.merchant.CashboxID, amount)
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
		if got := d.balance(t); got != c.balance {
			t.Errorf("insured for %s: %s, want %s", c.amount, got, c.balance)
		}
		d.Audit(t)
	}
	_, err := set("100.00000001")
	wantFault(t, err, "insufficient_cashbox_balance")
	for _, wrong := range []string{"", "-1", "x", "1.000000001", "1000000000000"} {
		_, err := set(wrong)
		wantFields(t, err, "amount")
	}
	_, err = d.settings.SetInsurance(ctx, operator, 1<<50, "1")
	wantFault(t, err, "not_found")
	_, err = d.settings.SetInsurance(ctx, d.merchant.Caller, d.merchant.CashboxID, "1")
	wantFault(t, err, "token_kind_not_allowed")
	if got := d.balance(t); got != "100 100 0 0" {
		t.Errorf("after refusals: %s", got)
	}
}

// Operators who set it at the same time come one after the other: the last sum stands, and nothing is lost.
func TestParallelInsurance(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.bridge(t)
	d.Fund(t, ledger.Available(ledger.Cashbox, d.merchant.CashboxID), "100")
	var setting sync.WaitGroup
	for i := range 10 {
		setting.Go(func() {
			if _, err := d.settings.SetInsurance(context.Background(), operator, d.merchant.CashboxID, strconv.Itoa(10*i)); err != nil {
				t.Error(err)
			}
		})
	}
	setting.Wait()
	b, err := d.accounts.Balance(context.Background(), d.merchant.Caller, d.merchant.CashboxID)
	if err != nil || !b.Total.Equal(decimal.NewFromInt(100)) || !b.Reserved.Equal(b.Insurance) {
		t.Errorf("%+v %v", b, err)
	}
	d.Audit(t)
}

func TestPayoutSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	box := strconv.FormatInt(d.merchant.CashboxID, 10)
	method := cashbox.PayoutMethod{CashboxID: d.merchant.CashboxID, Name: "sbp", Enabled: true, MarkupPercent: "2.5"}
	change, err := d.settings.SetPayoutMethod(ctx, operator, method)
	wantChange(t, change, err, "cashbox_payout_method", box+"/sbp", "validity_seconds", "new", 86400.0)
	method.MarkupPercent, method.ValiditySeconds = "0", 604_800
	change, err = d.settings.SetPayoutMethod(ctx, operator, method)
	wantChange(t, change, err, "cashbox_payout_method", box+"/sbp", "markup_percent", 2.5, 0.0)
	for wrong, m := range map[string]cashbox.PayoutMethod{
		"method":          {CashboxID: d.merchant.CashboxID, Name: "sim", MarkupPercent: "1"},
		"markupPercent":   {CashboxID: d.merchant.CashboxID, Name: "sbp", MarkupPercent: "101"},
		"validitySeconds": {CashboxID: d.merchant.CashboxID, Name: "sbp", MarkupPercent: "1", ValiditySeconds: 604_801},
	} {
		_, err := d.settings.SetPayoutMethod(ctx, operator, m)
		wantFields(t, err, wrong)
	}
	_, err = d.settings.SetPayoutMethod(ctx, operator, cashbox.PayoutMethod{CashboxID: d.merchant.CashboxID, Name: "sbp"})
	wantFields(t, err, "markupPercent")
	_, err = d.settings.SetPayoutMethod(ctx, operator, cashbox.PayoutMethod{CashboxID: 1 << 50, Name: "sbp", MarkupPercent: "1"})
	wantFault(t, err, "not_found")
	_, err = d.settings.SetPayoutMethod(ctx, d.merchant.Caller, method)
	wantFault(t, err, "token_kind_not_allowed")

	can := cashbox.TraderPayoutMethod{TraderID: trader.ID, Currency: "RUB", Method: "c2c", Enabled: true}
	change, err = d.settings.SetTraderPayoutMethod(ctx, operator, can)
	wantChange(t, change, err, "trader_payout_method", fmt.Sprintf("%d/RUB/c2c", trader.ID), "enabled", "new", true)
	can.Enabled = false
	change, err = d.settings.SetTraderPayoutMethod(ctx, operator, can)
	wantChange(t, change, err, "trader_payout_method", fmt.Sprintf("%d/RUB/c2c", trader.ID), "enabled", true, false)
	_, err = d.settings.SetTraderPayoutMethod(ctx, operator, cashbox.TraderPayoutMethod{TraderID: trader.ID, Currency: "AZN", Method: "c2c"})
	wantFields(t, err, "method")
	_, err = d.settings.SetTraderPayoutMethod(ctx, operator, cashbox.TraderPayoutMethod{TraderID: 1 << 50, Currency: "RUB", Method: "c2c"})
	wantFault(t, err, "not_found")
}

// wantFault wants a fault of the code.
func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}
