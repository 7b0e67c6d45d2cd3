package directory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/requisite"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 9}

type bundle struct {
	*dbtest.DB
	settings *directory.Settings
	merchant dbtest.Merchant
	trader   dbtest.Trader
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	return &bundle{
		DB: d, settings: directory.NewSettings(d.Pools(), &dbtest.Clock{}, dbtest.Vault(), dbtest.Requisites(), directory.Config{}),
		merchant: d.NewMerchant(t, dbtest.MerchantOpts{}), trader: d.NewTrader(t, dbtest.TraderOpts{Requisites: 2}),
	}
}

// wantChange checks what the log keeps: who, what, and one field before and after.
func wantChange(t *testing.T, c directory.Change, err error, subject, key, field string, before, after any) {
	t.Helper()
	noError(t, err)
	if c.Actor != "operator:9" || c.Subject != subject || c.SubjectKey != key || !c.At.Equal(dbtest.Start) ||
		c.ID == 0 {
		t.Errorf("change %+v", c)
	}
	testenv.Want(t, value(t, c.Before, field), before, "%s before", field)
	testenv.Want(t, value(t, c.After, field), after, "%s after", field)
}

// logged is what the log keeps of a change.
func logged[T any](c directory.Changed[T], err error) (directory.Change, error) {
	return c.SettingChange, err
}

func value(t *testing.T, object []byte, field string) any {
	t.Helper()
	if object == nil {
		return "new"
	}
	var fields map[string]any
	noError(t, json.Unmarshal(object, &fields))
	return fields[field]
}

func TestEveryChangeIsKept(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	merchant, box := strconv.FormatInt(b.merchant.ID, 10), strconv.FormatInt(b.merchant.CashboxID, 10)

	c, err := logged(b.settings.UpdateMerchant(ctx, operator,
		directory.MerchantUpdate{ID: b.merchant.ID, APIEnabled: new(false)}))
	wantChange(t, c, err, "merchant", merchant, "api_enabled", true, false)
	c, err = logged(b.settings.UpdateMerchant(ctx, operator,
		directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: new("2.5")}))
	wantChange(t, c, err, "merchant", merchant, "rate_percent", nil, 2.5)
	c, err = logged(
		b.settings.UpdateMerchant(ctx, operator, directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: new("")}),
	)
	wantChange(t, c, err, "merchant", merchant, "rate_percent", 2.5, nil)

	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, CollectEnabled: new(false)}))
	wantChange(t, c, err, "cashbox", box, "collect_enabled", true, false)
	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: &b.trader.ID}))
	wantChange(t, c, err, "cashbox", box, "trader_cashbox_id", nil, float64(b.trader.ID))
	if strings.Contains(string(c.After), "secret\"") {
		t.Errorf("the log keeps a secret: %s", c.After)
	}
	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: new(int64(0))}))
	wantChange(t, c, err, "cashbox", box, "trader_cashbox_id", float64(b.trader.ID), nil)

	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, ReturnAutomatic: new(false)}))
	wantChange(t, c, err, "cashbox", box, "return_automatic", true, false)
	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, PayerEvents: new(true)}))
	wantChange(t, c, err, "cashbox", box, "payer_events", false, true)

	m := directory.CashboxMethod{
		CashboxID: b.merchant.CashboxID, Name: "sbp", ValiditySeconds: 600, MarginPercent: "4", MaxAmount: "5000",
	}
	c, err = logged(b.settings.SetMethod(ctx, operator, m))
	wantChange(t, c, err, "cashbox_method", box+"/sbp", "validity_seconds", 900.0, 600.0)
	c, err = logged(b.settings.SetPlatformLimit(ctx, operator,
		directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "100000"}))
	wantChange(t, c, err, "platform_limit", "RUB", "max_amount", "new", 100000.0)
	c, err = logged(b.settings.SetPlatformLimit(ctx, operator,
		directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "200000.50"}))
	wantChange(t, c, err, "platform_limit", "RUB", "max_amount", 100000.0, 200000.5)

	changes, cursor, err := b.settings.Changes(ctx, operator, directory.ChangePage{Page: db.Page{Limit: new(int32(2))}})
	if err != nil || len(changes) != 2 || cursor == nil || changes[0].ID != c.ID {
		t.Fatalf("%d changes, cursor %v, %v", len(changes), cursor, err)
	}
	changes, cursor, err = b.settings.Changes(ctx, operator,
		directory.ChangePage{Subject: new("merchant"), SubjectKey: &merchant})
	if err != nil || len(changes) != 3 || cursor != nil {
		t.Fatalf("%d changes of the merchant, %v", len(changes), err)
	}
	if _, err := b.Pool.Exec(ctx, "delete from setting_change"); err == nil {
		t.Error("the log can be deleted")
	}
}

// A change answers with what a read finds then, its version included.
func TestChangesAnswerWithWhatStands(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	merchant, err := b.settings.UpdateMerchant(
		ctx,
		operator,
		directory.MerchantUpdate{ID: b.merchant.ID, Name: new("M")},
	)
	wantNow(
		t,
		merchant,
		err,
		func() (directory.Merchant, error) { return b.settings.Merchant(ctx, operator, b.merchant.ID) },
	)
	trader, err := b.settings.UpdateTrader(ctx, operator, directory.TraderUpdate{ID: b.trader.ID, Name: new("T")})
	wantNow(t, trader, err, func() (directory.Trader, error) { return b.settings.Trader(ctx, operator, b.trader.ID) })
	box, err := b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, Name: new("C")},
	)
	wantNow(
		t,
		box,
		err,
		func() (directory.Cashbox, error) { return b.settings.Cashbox(ctx, operator, b.merchant.CashboxID) },
	)
	id := b.trader.Requisites[0]
	req, err := b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{ID: id, Bank: new("B")})
	wantNow(t, req, err, func() (directory.Requisite, error) { return b.settings.Requisite(ctx, operator, id) })
	limit, err := b.settings.SetPlatformLimit(ctx, operator,
		directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "90"})
	wantNow(t, limit, err, func() (directory.PlatformLimit, error) {
		list, err := b.settings.PlatformLimits(ctx, operator)
		return list[0], err
	})
}

func wantNow[T any](t *testing.T, c directory.Changed[T], err error, read func() (T, error)) {
	t.Helper()
	noError(t, err)
	want, err := read()
	noError(t, err)
	if !reflect.DeepEqual(c.Now, want) {
		t.Errorf("%+v, want %+v", c.Now, want)
	}
}

// A call that changes nothing leaves nothing in the log, and its answer has no number there.
func TestNoChangeIsNotRecorded(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	calls := map[string]func() (directory.Change, error){
		"merchant": func() (directory.Change, error) {
			return logged(b.settings.UpdateMerchant(ctx, operator,
				directory.MerchantUpdate{ID: b.merchant.ID, APIEnabled: new(false), RatePercent: new("3.5")}))
		},
		"cashbox": func() (directory.Change, error) {
			return logged(b.settings.UpdateCashbox(ctx, operator,
				directory.CashboxUpdate{ID: b.merchant.CashboxID, CollectEnabled: new(false)}))
		},
		"method": func() (directory.Change, error) {
			return logged(b.settings.SetMethod(ctx, operator,
				directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", ValiditySeconds: 77}))
		},
		"platform limit": func() (directory.Change, error) {
			return logged(b.settings.SetPlatformLimit(ctx, operator,
				directory.NewPlatformLimit{Currency: "RUB", MinAmount: "1", MaxAmount: "5"}))
		},
		"trader": func() (directory.Change, error) {
			return logged(b.settings.UpdateTrader(ctx, operator,
				directory.TraderUpdate{ID: b.trader.ID, Enabled: new(false), MaxOpenPayins: new(int32(7))}))
		},
		"requisite": func() (directory.Change, error) {
			return logged(b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{
				ID:     b.trader.Requisites[0],
				Limits: directory.Limits{DailySum: new("5000"), WorkFrom: new("09:00"), WorkUntil: new("18:00")},
			}))
		},
		"payout method": func() (directory.Change, error) {
			return logged(b.settings.SetPayoutMethod(ctx, operator,
				directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "2"}))
		},
		"trader's payout method": func() (directory.Change, error) {
			return logged(b.settings.SetTraderPayoutMethod(ctx, operator,
				directory.TraderPayoutMethod{TraderID: b.trader.ID, Currency: "RUB", Method: "sbp", Enabled: true}))
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
	b := setup(t)
	ctx := context.Background()
	trader := strconv.FormatInt(b.trader.ID, 10)
	off := b.trader.Requisites[0]
	if _, err := b.settings.UpdateRequisite(
		ctx, operator, directory.RequisiteUpdate{ID: off, Enabled: new(false)},
	); err != nil {
		t.Fatal(err)
	}
	c, err := logged(b.settings.UpdateTrader(ctx, operator,
		directory.TraderUpdate{ID: b.trader.ID, Enabled: new(false), SharePercent: new("1.25"), RatePercent: new("3")}))
	wantChange(t, c, err, "trader", trader, "enabled", true, false)
	b.wantRequisites(t, "trader_off 3 1.25|trader_off 3 1.25")
	c, err = logged(b.settings.UpdateTrader(ctx, operator,
		directory.TraderUpdate{ID: b.trader.ID, Enabled: new(true), RatePercent: new("")}))
	wantChange(t, c, err, "trader", trader, "rate_percent", 3.0, nil)
	// The requisite that was switched off itself stays off.
	b.wantRequisites(t, " none 1.25|requisite_off none 1.25")
	if _, err := b.settings.UpdateRequisite(
		ctx, operator, directory.RequisiteUpdate{ID: off, Enabled: new(true)},
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
	noError(t, err)
	candidates, err := keeper.Requisites().Explain(t.Context(), b.Queries(), asked, free)
	noError(t, err)
	var got []string
	for _, c := range candidates {
		rate := "none"
		if c.TraderRatePercent.Valid {
			rate = c.TraderRatePercent.Decimal.String()
		}
		got = append(got, fmt.Sprintf("%s %s %s", c.DroppedBy, rate, c.TraderSharePercent))
	}
	testenv.Want(t, strings.Join(got, "|"), want, "requisites")
}

var (
	noError    = testenv.NoError
	wantFields = dbtest.WantFields
)

// The catalogue and the database know the same methods and currencies.
func TestCatalogueIsTheDatabases(t *testing.T) {
	t.Parallel()
	type method struct {
		Method, Currency               string
		RequisiteType, RequisiteMethod *string
	}
	d := dbtest.New(t)
	list := func(sql string) []method {
		rows, err := d.Pool.Query(t.Context(), sql)
		noError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[method])
		noError(t, err)
		return found
	}
	payments := list("select method, currency, requisite_type, requisite_method from method")
	payouts := list("select method, currency from payout_method")
	var left int
	for _, m := range catalogue.Methods {
		left += len(m.Currencies) + len(m.Payouts)
		for _, currency := range slices.Concat(m.Currencies, m.Payouts) {
			if !slices.Contains(catalogue.Currencies, currency) {
				t.Errorf("%s is for %s, which is not among the currencies", m.Name, currency)
			}
		}
	}
	for _, row := range payments {
		m, known := catalogue.Find(catalogue.Payments(row.Currency), row.Method)
		var kind, method string
		if row.RequisiteType != nil {
			kind, method = *row.RequisiteType, *row.RequisiteMethod
		}
		if !known || m.RequisiteType != kind || m.RequisiteMethod != method {
			t.Errorf("the catalogue has %+v, and the database %s by %s for %s", m, kind, method, row.Currency)
		}
	}
	for _, row := range payouts {
		if _, known := catalogue.Find(catalogue.Payouts(row.Currency), row.Method); !known {
			t.Errorf("the catalogue does not have %+v, which the database has", row)
		}
	}
	testenv.Want(t, len(payments)+len(payouts), left, "the catalogue has methods")
}

// The methods ask for types that are known, and a payout by each method may be sent to some type.
func TestMethodsAskForKnownTypes(t *testing.T) {
	t.Parallel()
	for _, m := range catalogue.Methods {
		if m.RequisiteType != "" && !slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return kind.Name == m.RequisiteType
		}) {
			t.Errorf("%s is not a known type", m.RequisiteType)
		}
		if len(m.Payouts) > 0 && !slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return requisite.WrongRecipient(m.Name, kind.Sample(1)) == ""
		}) {
			t.Errorf("a payout by %s may be sent to nothing", m.Name)
		}
	}
}
