package deposit_test

import (
	"context"
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

func (d *desk) bridge(t *testing.T) int64 {
	t.Helper()
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	err := d.Queries().
		CashboxUpdate(context.Background(), db.CashboxUpdateParams{ID: d.merchant.CashboxID, SetBridge: true, TraderCashboxID: &trader.ID})
	if err != nil {
		t.Fatal(err)
	}
	return trader.ID
}

// balance is total, available, reserved and insurance, as the merchant reads them.
func (d *desk) balance(t *testing.T) string {
	t.Helper()
	b, err := d.service.Balance(context.Background(), d.merchant.Caller, d.merchant.CashboxID)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(b.Total, " ", b.Available, " ", b.Reserved, " ", b.Insurance)
}

func TestBalance(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	read := func(who caller.Caller, id int64) error {
		_, err := d.service.Balance(ctx, who, id)
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
	if b, err := d.service.Balance(ctx, other, d.merchant.CashboxID); err != nil || b.TraderCashboxID != trader ||
		b.CashboxID != d.merchant.CashboxID {
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

// wantFault wants a fault of the code.
func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}
