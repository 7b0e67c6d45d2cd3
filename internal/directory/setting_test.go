package directory_test

import (
	"context"
	"encoding/json"
	"errors"
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

var operator = caller.Caller{Kind: caller.Operator, ID: 9}

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
	c, err = b.settings.SetPlatformLimit(ctx, operator, "RUB", "10", "100000")
	wantChange(t, c, err, "platform_limit", "RUB", "max_amount", "new", 100000.0)
	c, err = b.settings.SetPlatformLimit(ctx, operator, "RUB", "10", "200000.50")
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
		"platform limit": func() (directory.Change, error) { return b.settings.SetPlatformLimit(ctx, operator, "RUB", "1", "5") },
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

func TestLimitsOfARequisite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	n := directory.NewRequisite{
		TraderID: b.trader.ID, Currency: "RUB", Method: "card", Value: "2200000000000004", Bank: ptr("Bank"),
		Limits: directory.Limits{
			MinAmount:  ptr("100"),
			MaxAmount:  ptr("5000"),
			TimeZone:   ptr("Asia/Baku"),
			DailyCount: ptr(int32(7)),
			DailySum: ptr(
				"90000",
			),
			OpenPayments: ptr(int32(3)),
			WorkFrom:     ptr("22:00"),
			WorkUntil:    ptr("06:30"),
			Weight:       ptr(int32(4)),
		},
	}
	c, err := b.settings.CreateRequisite(ctx, operator, n)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]any{
		"value": "2200000000000004", "min_amount": 100.0, "max_amount": 5000.0, "time_zone": "Asia/Baku", "daily_count": 7.0,
		"daily_sum": 90000.0, "open_payments": 3.0, "work_from": "22:00:00", "work_until": "06:30:00", "weight": 4.0, "enabled": true,
	} {
		if got := value(t, c.After, field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	id, _ := strconv.ParseInt(c.SubjectKey, 10, 64)
	cleared := directory.Limits{
		DailyCount:   ptr(int32(0)),
		DailySum:     ptr(""),
		OpenPayments: ptr(int32(0)),
		WorkFrom:     ptr(""),
		WorkUntil:    ptr(""),
	}
	c, err = b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{ID: id, Limits: cleared})
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"daily_count", "daily_sum", "open_payments", "work_from", "work_until"} {
		if got := value(t, c.After, field); got != nil {
			t.Errorf("%s is %v after it was cleared", field, got)
		}
	}
	if got := value(t, c.After, "min_amount"); got != 100.0 {
		t.Errorf("min_amount became %v", got)
	}
	_, err = b.settings.UpdateRequisite(
		ctx,
		operator,
		directory.RequisiteUpdate{ID: id, Limits: directory.Limits{MinAmount: ptr("5000.01")}},
	)
	wantFields(t, err, "limits.minAmount")
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	requisite := func(method, value string) directory.NewRequisite {
		return directory.NewRequisite{TraderID: b.trader.ID, Currency: "RUB", Method: method, Value: value}
	}
	limited := func(l directory.Limits) error {
		_, err := b.settings.UpdateRequisite(
			ctx,
			operator,
			directory.RequisiteUpdate{ID: b.trader.Requisites[0], Limits: l},
		)
		return err
	}
	create := func(n directory.NewRequisite) error {
		_, err := b.settings.CreateRequisite(ctx, operator, n)
		return err
	}
	percent := func(s string) error {
		_, err := b.settings.UpdateMerchant(ctx, operator, directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: &s})
		return err
	}
	wantFields(t, percent("100.0001"), "ratePercent")
	wantFields(t, percent("1.00001"), "ratePercent")
	wantFields(t, percent("-1"), "ratePercent")
	wantFields(t, create(requisite("card", "2200000000000005")), "value")
	wantFields(t, create(requisite("sbp", "89001234567")), "value")
	wantFields(t, create(requisite("c2c", "2200000000000004")), "method")
	wantFields(
		t,
		create(directory.NewRequisite{TraderID: 1 << 40, Currency: "RUB", Method: "sbp", Value: "+79001234567"}),
		"traderId",
	)
	wantFields(
		t,
		create(
			directory.NewRequisite{
				TraderID: b.trader.ID,
				Currency: "MNT",
				Method:   "iban",
				Value:    "MN120005000000000000",
			},
		),
		"value",
	)
	wantFields(
		t,
		limited(directory.Limits{TimeZone: ptr("Mars/Base"), Weight: ptr(int32(0)), DailyCount: ptr(int32(-1))}),
		"limits.timeZone",
		"limits.weight",
		"limits.dailyCount",
	)
	wantFields(
		t,
		limited(directory.Limits{WorkFrom: ptr("24:00"), WorkUntil: ptr("")}),
		"limits.workFrom",
		"limits.workUntil",
	)
	wantFields(t, limited(directory.Limits{WorkFrom: ptr("09:00"), WorkUntil: ptr("09:00")}), "limits.workUntil")
	wantFields(t, limited(directory.Limits{DailySum: ptr("0")}), "limits.dailySum")
	_, err := b.settings.SetMethod(
		ctx,
		operator,
		directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "iban", ValiditySeconds: 86401},
	)
	wantFields(t, err, "method", "validitySeconds")
	_, err = b.settings.SetPlatformLimit(ctx, operator, "XXX", "2", "1")
	wantFields(t, err, "currency", "maxAmount")
	_, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: ptr(int64(1 << 40))},
	)
	wantFields(t, err, "traderCashboxId")
	if _, err := b.settings.UpdateMerchant(
		ctx,
		operator,
		directory.MerchantUpdate{ID: 1 << 40},
	); !errors.Is(
		err,
		fault.ErrNotFound,
	) {
		t.Errorf("unknown merchant: %v", err)
	}
	for _, who := range []caller.Caller{b.merchant.Caller, b.trader.Caller, {Kind: caller.Cabinet}, {Kind: caller.Anyone}} {
		if _, err := b.settings.UpdateMerchant(
			ctx,
			who,
			directory.MerchantUpdate{ID: b.merchant.ID},
		); !errors.Is(
			err,
			fault.ErrTokenKindNotAllowed,
		) {
			t.Errorf("%s: %v", who.Kind, err)
		}
	}
	var kept int
	if err := b.Pool.QueryRow(ctx, "select count(*) from setting_change").Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d refused changes were kept (%v)", kept, err)
	}
}

// A desk that takes cards is a requisite without a value, of a trader who has an acquirer.
func TestDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	desk := directory.NewRequisite{TraderID: b.trader.ID, Currency: "RUB", Method: "mtstpay"}
	wrong := func(n directory.NewRequisite, field string) {
		t.Helper()
		_, err := b.settings.CreateRequisite(ctx, operator, n)
		if f := fault.As(err); f == nil || len(f.Fields) != 1 || !f.Fields.Wrong(field) {
			t.Errorf("%+v: %v, want %s", n, err, field)
		}
	}
	wrong(desk, "traderId")
	if err := b.Queries().
		AcquirerSet(ctx, db.AcquirerSetParams{TraderID: b.trader.ID, URL: "https://cards.example", KeyID: "k", Secret: []byte{}}); err != nil {
		t.Fatal(err)
	}
	withValue, withOpen, elsewhere := desk, desk, desk
	withValue.Value, withOpen.Limits.OpenPayments, elsewhere.Currency = "+79001234567", ptr(int32(3)), "AZN"
	wrong(withValue, "value")
	wrong(withOpen, "limits.openPayments")
	wrong(elsewhere, "method")
	c, err := b.settings.CreateRequisite(ctx, operator, desk)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := strconv.ParseInt(c.SubjectKey, 10, 64)
	_, err = b.settings.UpdateRequisite(
		ctx,
		operator,
		directory.RequisiteUpdate{ID: id, Limits: directory.Limits{OpenPayments: ptr(int32(3))}},
	)
	if f := fault.As(err); f == nil || !f.Fields.Wrong("limits.openPayments") {
		t.Errorf("a limit it cannot keep: %v", err)
	}
	// In a sandbox no acquirer is needed.
	b.settings.CardsWithoutAcquirer = true
	desk.TraderID = b.NewTrader(t, dbtest.TraderOpts{}).ID
	if _, err := b.settings.CreateRequisite(ctx, operator, desk); err != nil {
		t.Error(err)
	}
}
