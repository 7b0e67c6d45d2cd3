package directory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/routing"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 9}

type bundle struct {
	*dbtest.DB
	settings *directory.Settings
	merchant dbtest.Merchant
	trader   dbtest.Trader
}

func setup(t *testing.T) *bundle {
	t.Helper()
	d := dbtest.New(t)
	return &bundle{
		DB: d, settings: directory.NewSettings(d.Pools(), &dbtest.Clock{}, dbtest.Vault()),
		merchant: d.NewMerchant(t, dbtest.MerchantOpts{}), trader: d.NewTrader(t, dbtest.TraderOpts{Requisites: 2}),
	}
}

func ptr[T any](v T) *T { return &v }

// wantChange checks what the log keeps: who, what, and one field before and after.
func wantChange(t *testing.T, c directory.Change, err error, subject, key, field string, before, after any) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if c.Actor != "operator:9" || c.Subject != subject || c.SubjectKey != key || !c.At.Equal(dbtest.Start) ||
		c.ID == 0 {
		t.Errorf("change %+v", c)
	}
	if got := value(t, c.Before, field); got != before {
		t.Errorf("%s before: %v, want %v", field, got, before)
	}
	if got := value(t, c.After, field); got != after {
		t.Errorf("%s after: %v, want %v", field, got, after)
	}
}

func value(t *testing.T, object []byte, field string) any {
	t.Helper()
	if object == nil {
		return "new"
	}
	var fields map[string]any
	if err := json.Unmarshal(object, &fields); err != nil {
		t.Fatal(err)
	}
	return fields[field]
}

func wantFields(t *testing.T, err error, fields ...string) {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Code != "validation_failed" || len(f.Fields) != len(fields) {
		t.Fatalf("%v, want wrong %v", err, fields)
	}
	for _, field := range fields {
		if !f.Fields.Wrong(field) {
			t.Errorf("%s is not among %v", field, f.Fields)
		}
	}
}

func TestEveryChangeIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	merchant, box := strconv.FormatInt(b.merchant.ID, 10), strconv.FormatInt(b.merchant.CashboxID, 10)

	c, err := b.settings.UpdateMerchant(
		ctx,
		operator,
		directory.MerchantUpdate{ID: b.merchant.ID, APIEnabled: ptr(false)},
	)
	wantChange(t, c, err, "merchant", merchant, "api_enabled", true, false)
	c, err = b.settings.UpdateMerchant(
		ctx,
		operator,
		directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: ptr("2.5")},
	)
	wantChange(t, c, err, "merchant", merchant, "rate_percent", nil, 2.5)
	c, err = b.settings.UpdateMerchant(ctx, operator, directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: ptr("")})
	wantChange(t, c, err, "merchant", merchant, "rate_percent", 2.5, nil)

	c, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, CollectEnabled: ptr(false)},
	)
	wantChange(t, c, err, "cashbox", box, "collect_enabled", true, false)
	c, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: &b.trader.ID},
	)
	wantChange(t, c, err, "cashbox", box, "trader_cashbox_id", nil, float64(b.trader.ID))
	if strings.Contains(string(c.After), "secret\"") {
		t.Errorf("the log keeps a secret: %s", c.After)
	}
	c, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: ptr(int64(0))},
	)
	wantChange(t, c, err, "cashbox", box, "trader_cashbox_id", float64(b.trader.ID), nil)

	c, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, ReturnAutomatic: ptr(true)},
	)
	wantChange(t, c, err, "cashbox", box, "return_automatic", false, true)
	c, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, PayerEvents: ptr(true)},
	)
	wantChange(t, c, err, "cashbox", box, "payer_events", false, true)

	m := directory.CashboxMethod{
		CashboxID:       b.merchant.CashboxID,
		Name:            "sbp",
		ValiditySeconds: 600,
		MarginPercent:   "4",
		MaxAmount:       "5000",
	}
	c, err = b.settings.SetMethod(ctx, operator, m)
	wantChange(t, c, err, "cashbox_method", box+"/sbp", "validity_seconds", 900.0, 600.0)
	c, err = b.settings.SetPlatformLimit(
		ctx,
		operator,
		directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "100000"},
	)
	wantChange(t, c, err, "platform_limit", "RUB", "max_amount", "new", 100000.0)
	c, err = b.settings.SetPlatformLimit(
		ctx,
		operator,
		directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "200000.50"},
	)
	wantChange(t, c, err, "platform_limit", "RUB", "max_amount", 100000.0, 200000.5)

	changes, cursor, err := b.settings.Changes(ctx, operator, directory.ChangePage{Page: db.Page{Limit: ptr(int32(2))}})
	if err != nil || len(changes) != 2 || cursor == nil || changes[0].ID != c.ID {
		t.Fatalf("%d changes, cursor %v, %v", len(changes), cursor, err)
	}
	changes, cursor, err = b.settings.Changes(
		ctx,
		operator,
		directory.ChangePage{Subject: ptr("merchant"), SubjectKey: &merchant},
	)
	if err != nil || len(changes) != 3 || cursor != nil {
		t.Fatalf("%d changes of the merchant, %v", len(changes), err)
	}
	if _, err := b.Pool.Exec(ctx, "delete from setting_change"); err == nil {
		t.Error("the log can be deleted")
	}
}

// A trader's requisites keep copies of their terms: they must follow.
// A call that changes nothing leaves nothing in the log, and its answer has no number there.
func TestNoChangeIsNotRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	calls := map[string]func() (directory.Change, error){
		"merchant": func() (directory.Change, error) {
			return b.settings.UpdateMerchant(
				ctx,
				operator,
				directory.MerchantUpdate{ID: b.merchant.ID, APIEnabled: ptr(false), RatePercent: ptr("3.5")},
			)
		},
		"cashbox": func() (directory.Change, error) {
			return b.settings.UpdateCashbox(
				ctx,
				operator,
				directory.CashboxUpdate{ID: b.merchant.CashboxID, CollectEnabled: ptr(false)},
			)
		},
		"method": func() (directory.Change, error) {
			return b.settings.SetMethod(
				ctx,
				operator,
				directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", ValiditySeconds: 77},
			)
		},
		"platform limit": func() (directory.Change, error) {
			return b.settings.SetPlatformLimit(
				ctx,
				operator,
				directory.NewPlatformLimit{Currency: "RUB", MinAmount: "1", MaxAmount: "5"},
			)
		},
		"trader": func() (directory.Change, error) {
			return b.settings.UpdateTrader(
				ctx,
				operator,
				directory.TraderUpdate{ID: b.trader.ID, Enabled: ptr(false), MaxOpenPayins: ptr(int32(7))},
			)
		},
		"requisite": func() (directory.Change, error) {
			return b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{
				ID:     b.trader.Requisites[0],
				Limits: directory.Limits{DailySum: ptr("5000"), WorkFrom: ptr("09:00"), WorkUntil: ptr("18:00")},
			})
		},
		"payout method": func() (directory.Change, error) {
			return b.settings.SetPayoutMethod(
				ctx,
				operator,
				directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "2"},
			)
		},
		"trader's payout method": func() (directory.Change, error) {
			return b.settings.SetTraderPayoutMethod(
				ctx,
				operator,
				directory.TraderPayoutMethod{TraderID: b.trader.ID, Currency: "RUB", Method: "sbp", Enabled: true},
			)
		},
		"insurance": func() (directory.Change, error) {
			return b.settings.SetInsurance(ctx, operator, b.merchant.CashboxID, "3")
		},
	}
	b.Fund(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID), "10")
	for name, call := range calls {
		if c, err := call(); err != nil || c.ID == 0 {
			t.Errorf("%s: %+v (%v)", name, c, err)
		}
	}
	for name, call := range calls {
		if c, err := call(); err != nil || c.ID != 0 || string(c.Before) != string(c.After) {
			t.Errorf("%s again: %+v (%v)", name, c, err)
		}
	}
	list, _, err := b.settings.Changes(ctx, operator, directory.ChangePage{})
	if err != nil || len(list) != len(calls) {
		t.Errorf("%d changes are kept, want %d (%v)", len(list), len(calls), err)
	}
}

func TestRequisitesFollowTheirTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	trader := strconv.FormatInt(b.trader.ID, 10)
	off := b.trader.Requisites[0]
	if _, err := b.settings.UpdateRequisite(
		ctx,
		operator,
		directory.RequisiteUpdate{ID: off, Enabled: ptr(false)},
	); err != nil {
		t.Fatal(err)
	}
	c, err := b.settings.UpdateTrader(
		ctx,
		operator,
		directory.TraderUpdate{ID: b.trader.ID, Enabled: ptr(false), SharePercent: ptr("1.25"), RatePercent: ptr("3")},
	)
	wantChange(t, c, err, "trader", trader, "enabled", true, false)
	b.wantRequisites(t, "trader_off 3 1.25|trader_off 3 1.25")
	c, err = b.settings.UpdateTrader(
		ctx,
		operator,
		directory.TraderUpdate{ID: b.trader.ID, Enabled: ptr(true), RatePercent: ptr("")},
	)
	wantChange(t, c, err, "trader", trader, "rate_percent", 3.0, nil)
	// The requisite that was switched off itself stays off.
	b.wantRequisites(t, " none 1.25|requisite_off none 1.25")
	if _, err := b.settings.UpdateRequisite(
		ctx,
		operator,
		directory.RequisiteUpdate{ID: off, Enabled: ptr(true)},
	); err != nil {
		t.Fatal(err)
	}
	b.wantRequisites(t, " none 1.25| none 1.25")
}

func (b *bundle) wantRequisites(t *testing.T, want string) {
	t.Helper()
	asked := routing.Want{Currency: "RUB", Method: "sbp", Amount: decimal.NewFromInt(100), Now: dbtest.Start}
	free := func(routing.Candidate) decimal.Decimal { return decimal.Zero }
	keeper, err := directory.NewKeeper(t.Context(), b.Pool, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	candidates, err := keeper.Requisites.Explain(t.Context(), b.Queries(), asked, free)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range candidates {
		rate := "none"
		if c.TraderRatePercent.Valid {
			rate = c.TraderRatePercent.Decimal.String()
		}
		got = append(got, fmt.Sprintf("%s %s %s", c.DroppedBy, rate, c.TraderSharePercent))
	}
	if strings.Join(got, "|") != want {
		t.Errorf("requisites %s, want %s", strings.Join(got, "|"), want)
	}
}
