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

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/inforce"
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

// merchantSet changes the bundle's merchant, boxSet its cashbox, traderSet its
// trader, and requisiteSet the first requisite of that.
func (b *bundle) merchantSet(u directory.MerchantUpdate) (directory.Change, error) {
	u.ID = b.merchant.ID
	return logged(b.settings.UpdateMerchant(ctx, operator, u))
}

func (b *bundle) boxSet(u directory.CashboxUpdate) (directory.Change, error) {
	u.ID = b.merchant.CashboxID
	return logged(b.settings.UpdateCashbox(ctx, operator, u))
}

func (b *bundle) traderSet(u directory.TraderUpdate) (directory.Change, error) {
	u.ID = b.trader.ID
	return logged(b.settings.UpdateTrader(ctx, operator, u))
}

func (b *bundle) requisiteSet(u directory.RequisiteUpdate) (directory.Change, error) {
	u.ID = b.trader.Requisites[0]
	return logged(b.settings.UpdateRequisite(ctx, operator, u))
}

// wantChange checks what the log keeps: who, what, and one field before and
// after.
func wantChange(t *testing.T, c directory.Change, err error, subject, key, field string, before, after any) {
	t.Helper()
	testenv.NoError(t, err)
	testenv.Check(t, c.Actor == "operator:9" && c.Subject == subject && c.SubjectKey == key && c.At.Equal(dbtest.Start) &&
		c.ID != 0, "change %+v", c)
	testenv.Want(t, value(t, c.Before, field), before, "%s before", field)
	testenv.Want(t, value(t, c.After, field), after, "%s after", field)
}

// made wants a change to be kept as wantChange does.
func made(c directory.Change, err error) func(t *testing.T, subject, key, field string, before, after any) {
	return func(t *testing.T, subject, key, field string, before, after any) {
		t.Helper()
		wantChange(t, c, err, subject, key, field, before, after)
	}
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
	testenv.NoError(t, json.Unmarshal(object, &fields))
	return fields[field]
}

func TestEveryChangeIsKept(t *testing.T) {
	b := setup(t)
	merchant, box := strconv.FormatInt(b.merchant.ID, 10), strconv.FormatInt(b.merchant.CashboxID, 10)
	made(b.merchantSet(directory.MerchantUpdate{APIEnabled: new(false), Reason: "off"}))(t, "merchant", merchant, "api_enabled", true, false)
	made(b.merchantSet(directory.MerchantUpdate{RatePercent: new("2.5")}))(t, "merchant", merchant, "rate_percent", nil, 2.5)
	made(b.merchantSet(directory.MerchantUpdate{RatePercent: new("")}))(t, "merchant", merchant, "rate_percent", 2.5, nil)

	made(b.boxSet(directory.CashboxUpdate{CollectEnabled: new(false), Reason: "off"}))(t, "cashbox", box, "collect_enabled", true, false)
	c, err := b.boxSet(directory.CashboxUpdate{TraderID: &b.trader.ID})
	wantChange(t, c, err, "cashbox", box, "trader_cashbox_id", nil, float64(b.trader.ID))
	testenv.Check(t, !strings.Contains(string(c.After), "secret\""), "the log keeps a secret: %s", c.After)
	made(b.boxSet(directory.CashboxUpdate{TraderID: new(int64(0))}))(t, "cashbox", box, "trader_cashbox_id", float64(b.trader.ID), nil)
	made(b.boxSet(directory.CashboxUpdate{ReturnAutomatic: new(false)}))(t, "cashbox", box, "return_automatic", true, false)
	made(b.boxSet(directory.CashboxUpdate{PayerEvents: new(true)}))(t, "cashbox", box, "payer_events", false, true)

	made(logged(b.settings.SetMethod(ctx, operator, directory.CashboxMethod{
		CashboxID: b.merchant.CashboxID, Name: "sbp", ValiditySeconds: 600, MarginPercent: "4", MaxAmount: "5000",
	})))(t, "cashbox_method", box+"/sbp", "validity_seconds", 900.0, 600.0)
	limit := directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "100000", Reason: "why"}
	made(logged(b.settings.SetPlatformLimit(ctx, operator, limit)))(t, "platform_limit", "RUB", "max_amount", "new", 100000.0)
	limit.MaxAmount = "200000.50"
	c, err = logged(b.settings.SetPlatformLimit(ctx, operator, limit))
	wantChange(t, c, err, "platform_limit", "RUB", "max_amount", 100000.0, 200000.5)

	changes, cursor := testenv.Must2(b.settings.Changes(ctx, operator, directory.ChangePage{Page: db.Page{Limit: new(int32(2))}}))(t)
	testenv.Need(t, len(changes) == 2 && cursor != nil && changes[0].ID == c.ID, "%d changes, cursor %v", len(changes), cursor)
	ofOne := directory.ChangePage{Subject: new("merchant"), SubjectKey: &merchant}
	changes, cursor = testenv.Must2(b.settings.Changes(ctx, operator, ofOne))(t)
	testenv.Need(t, len(changes) == 3 && cursor == nil, "%d changes of the merchant", len(changes))
	testenv.Check(t, testenv.ErrOf(b.Pool.Exec(ctx, "delete from setting_change")) != nil, "the log can be deleted")
}

// A change answers with what a read finds then, its version included.
func TestChangesAnswerWithWhatStands(t *testing.T) {
	b, who := setup(t), operator
	box, trader, id := b.merchant.CashboxID, b.trader.ID, b.trader.Requisites[0]
	wantNow(t, testenv.Must(b.settings.UpdateMerchant(ctx, who, directory.MerchantUpdate{ID: b.merchant.ID, Name: new("M")}))(t),
		testenv.Must(b.settings.Merchant(ctx, who, b.merchant.ID)))
	wantNow(t, testenv.Must(b.settings.UpdateTrader(ctx, who, directory.TraderUpdate{ID: trader, Name: new("T")}))(t),
		testenv.Must(b.settings.Trader(ctx, who, trader)))
	wantNow(t, testenv.Must(b.settings.UpdateCashbox(ctx, who, directory.CashboxUpdate{ID: box, Name: new("C")}))(t),
		testenv.Must(b.settings.Cashbox(ctx, who, box)))
	wantNow(t, testenv.Must(b.settings.UpdateRequisite(ctx, who, directory.RequisiteUpdate{ID: id, Bank: new("B")}))(t),
		testenv.Must(b.settings.Requisite(ctx, who, id)))
	limit := directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: "90", Reason: "why"}
	set := testenv.Must(b.settings.SetPlatformLimit(ctx, who, limit))(t)
	testenv.Want(t, fmt.Sprint(testenv.Must(b.settings.PlatformLimits(ctx, who))(t)), fmt.Sprint([]any{set.Now}), "limits")
}

func wantNow[T any](t *testing.T, c directory.Changed[T], read func(testing.TB) T) {
	t.Helper()
	want := read(t)
	testenv.Check(t, reflect.DeepEqual(c.Now, want), "%+v, want %+v", c.Now, want)
}

// A call that changes nothing leaves nothing in the log, and its answer has no
// number there.
func TestNoChangeIsNotRecorded(t *testing.T) {
	b := setup(t)
	box := b.merchant.CashboxID
	b.Fund(t, ledger.Available(ledger.Cashbox, box), "10")
	var count int
	for _, again := range []bool{false, true} {
		changes := map[string]directory.Change{
			"merchant": testenv.Must(b.merchantSet(
				directory.MerchantUpdate{APIEnabled: new(false), Reason: "off", RatePercent: new("3.5")}))(t),
			"cashbox": testenv.Must(b.boxSet(directory.CashboxUpdate{CollectEnabled: new(false), Reason: "off"}))(t),
			"method": testenv.Must(b.settings.SetMethod(ctx, operator,
				directory.CashboxMethod{CashboxID: box, Name: "sbp", ValiditySeconds: 77}))(t).SettingChange,
			"platform limit": testenv.Must(b.settings.SetPlatformLimit(ctx, operator,
				directory.NewPlatformLimit{Currency: "RUB", MinAmount: "1", MaxAmount: "5", Reason: "why"}))(t).SettingChange,
			"trader": testenv.Must(b.traderSet(
				directory.TraderUpdate{Enabled: new(false), Reason: "off", MaxOpenPayins: new(int32(7))}))(t),
			"requisite": testenv.Must(b.requisiteSet(directory.RequisiteUpdate{
				Limits: directory.Limits{DailySum: new("5000"), WorkFrom: new("09:00"), WorkUntil: new("18:00")},
			}))(t),
			"payout method": testenv.Must(b.settings.SetPayoutMethod(ctx, operator,
				directory.CashboxPayoutMethod{CashboxID: box, Name: "sbp", MarkupPercent: "2"}))(t).SettingChange,
			"trader's payout method": testenv.Must(b.settings.SetTraderPayoutMethod(ctx, operator,
				directory.TraderPayoutMethod{TraderID: b.trader.ID, Currency: "RUB", Method: "sbp", Enabled: true}))(t).SettingChange,
			"insurance": testenv.Must(b.settings.SetInsurance(ctx, operator, box, "3"))(t),
		}
		for name, c := range changes {
			testenv.Check(t, again == (c.ID == 0) && again == (string(c.Before) == string(c.After)),
				"%s, again %t: %+v", name, again, c)
		}
		count = len(changes)
	}
	list, _ := testenv.Must2(b.settings.Changes(ctx, operator, directory.ChangePage{}))(t)
	testenv.Want(t, len(list), count, "changes that are kept")
}

// Whoever keeps others from working has to say why, wherever they do it.
func TestHurtTakesReason(t *testing.T) {
	b := setup(t)
	for _, reason := range []string{"", " ", strings.Repeat("x", 501)} {
		for name, err := range map[string]error{
			"merchant":  testenv.ErrOf(b.merchantSet(directory.MerchantUpdate{APIEnabled: new(false), Reason: reason})),
			"cashbox":   testenv.ErrOf(b.boxSet(directory.CashboxUpdate{CollectEnabled: new(false), Reason: reason})),
			"trader":    testenv.ErrOf(b.traderSet(directory.TraderUpdate{Enabled: new(false), Reason: reason})),
			"requisite": testenv.ErrOf(b.requisiteSet(directory.RequisiteUpdate{Enabled: new(false), Reason: reason})),
			"limit": testenv.ErrOf(b.settings.SetPlatformLimit(ctx, operator,
				directory.NewPlatformLimit{Currency: "RUB", MinAmount: "1", MaxAmount: "5", Reason: reason})),
		} {
			t.Log(name)
			dbtest.WantFields(t, err, "reason")
		}
	}
}

func TestRequisitesFollowTheirTrader(t *testing.T) {
	b := setup(t)
	trader := strconv.FormatInt(b.trader.ID, 10)
	testenv.Must(b.requisiteSet(directory.RequisiteUpdate{Enabled: new(false), Reason: "off"}))(t)
	made(b.traderSet(directory.TraderUpdate{Enabled: new(false), Reason: "off", SharePercent: new("1.25"), RatePercent: new("3")}))(
		t, "trader", trader, "enabled", true, false)
	b.wantRequisites(t, "trader_off 3 1.25|trader_off 3 1.25")
	made(b.traderSet(directory.TraderUpdate{Enabled: new(true), RatePercent: new("")}))(t, "trader", trader, "rate_percent", 3.0, nil)
	// The requisite that was switched off itself stays off.
	b.wantRequisites(t, " none 1.25|requisite_off none 1.25")
	testenv.Must(b.requisiteSet(directory.RequisiteUpdate{Enabled: new(true)}))(t)
	b.wantRequisites(t, " none 1.25| none 1.25")
}

func (b *bundle) wantRequisites(t *testing.T, want string) {
	t.Helper()
	asked := routing.Want{Currency: "RUB", Method: "sbp", Amount: decimal.NewFromInt(100), Now: dbtest.Start}
	free := func(routing.Candidate) decimal.Decimal { return decimal.Zero }
	keeper := testenv.Must(inforce.NewKeeper(ctx, b.Pool, 0, nil))(t)
	candidates := testenv.Must(keeper.Requisites().Explain(ctx, b.Queries(), asked, free))(t)
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
	ctx = context.Background()
)

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.settings, map[string]string{
		"operator": "Balance SetBank ListBanks Correct CreateMerchant CreateTrader CreateCashbox FundTrader WithdrawTrader " +
			"SetInsurance SetInsuranceFrom Cashboxes Cashbox Methods PayoutMethods Merchants Merchant Requisites Requisite RequisiteValue Traders Trader " +
			"TraderPayouts OpenPayouts OpenPayments SetPayoutMethod SetTraderPayoutMethod UpdateMerchant UpdateCashbox SetMethod " +
			"SetPlatformLimit Changes PlatformLimits UpdateTrader CreateRequisite UpdateRequisite",
		"merchant_portal operator": "BlockPayer UnblockPayer Blocks Block PaymentPayer",
		"merchant_portal":          "OwnCashboxes OwnLooks UpdateOwnLook",
		"trader":                   "ListOwnRequisites OwnPage OwnRequisite Break OwnBalance UpdateOwnRequisite UpdateOwnRequisites SetBreak CheckProposed",
	})
}

// The catalogue and the database know the same methods and currencies.
func TestCatalogueIsTheDatabases(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var payments, payouts []string
	for _, currency := range catalogue.Currencies {
		for _, m := range catalogue.Payments(currency) {
			payments = append(payments, strings.Join([]string{m.Name, currency, m.RequisiteType, m.RequisiteMethod}, "/"))
		}
		for _, m := range catalogue.Payouts(currency) {
			payouts = append(payouts, m.Name+"/"+currency)
		}
	}
	for _, m := range catalogue.Methods {
		for _, currency := range slices.Concat(m.Currencies, m.Payouts) {
			testenv.Check(t, slices.Contains(catalogue.Currencies, currency),
				"%s is for %s, which is not among the currencies", m.Name, currency)
		}
	}
	for sql, want := range map[string][]string{
		"concat_ws('/', method, currency, coalesce(requisite_type, ''), coalesce(requisite_method, '')) from method": payments,
		"method || '/' || currency from payout_method":                                                               payouts,
	} {
		got := slices.Sorted(slices.Values(d.Texts(t, "select "+sql)))
		testenv.WantAll(t, got, slices.Sorted(slices.Values(want)), "what the database has")
	}
}

// The methods ask for types that are known, and a payout by each method may be
// sent to some type.
func TestMethodsAskForKnownTypes(t *testing.T) {
	t.Parallel()
	for _, m := range catalogue.Methods {
		testenv.Check(t, m.RequisiteType == "" || slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return kind.Name == m.RequisiteType
		}), "%s is not a known type", m.RequisiteType)
		testenv.Check(t, len(m.Payouts) == 0 || slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return requisite.WrongRecipient(m.Name, kind.Sample(1)) == ""
		}), "a payout by %s may be sent to nothing", m.Name)
	}
}
