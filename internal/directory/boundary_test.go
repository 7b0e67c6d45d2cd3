package directory_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
)

// boundaryTexts are amounts and percents at and around every bound that a column or a rule has.
var boundaryTexts = []string{
	"", "0", "0.00", "0.0001", "0.00001", "0.00000001", "0.000000001", "0.004", "0.01", "0.5", "0.99", "1", "1.00",
	"99.9999", "100", "100.0001", "999999999999.98", "999999999999.99", "999999999999.99999999", "1000000000000",
	"99999999999999999999", "-0", "-1", "+1", "1e3", "NaN", "Infinity", ".5", "5.", " 1", "1,5", "٣",
	strings.Repeat("9", 400),
}

var boundaryNumbers = []int32{
	math.MinInt32, -1, 0, 1, 59, 1000, 1001, 50_000, 50_001, 86_400, 86_401, 604_800, 604_801, math.MaxInt32,
}

var boundaryIDs = []int64{math.MinInt64, -1, 0, 1, 1 << 60, 1 << 61, math.MaxInt64}

var boundaryZones = []string{
	"", "Local", "UTC", "utc", "Europe/Moscow", "europe/moscow", "US/Pacific", "GMT+25", "MSK", "+03", "Factory",
	"posixrules", "Etc/GMT-14", "../../etc/passwd", "posix/Europe/Moscow", "right/UTC", "Asia/Nowhere",
	"America/Coyhaique", "EST5EDT", "Asia/Rangoon", "localtime",
}

// boundaryCall gives one field of a call a value, and says which field that is.
type boundaryCall struct {
	text   func(b *bundle, v string) error
	number func(b *bundle, n int32) error
	id     func(b *bundle, id int64) error
	fields []string
}

// limits makes a call with limits of a requisite, new or there already.
func limits(set func(l *directory.Limits, v string)) func(b *bundle, v string) error {
	return func(b *bundle, v string) error {
		var l directory.Limits
		set(&l, v)
		_, err := b.settings.CreateRequisite(context.Background(), operator, directory.NewRequisite{
			TraderID: b.trader.ID, Currency: "RUB", Method: "sbp", Value: "+79001234567", Limits: l,
		})
		if unexpected(err) {
			return err
		}
		_, update := b.settings.UpdateRequisite(context.Background(), operator,
			directory.RequisiteUpdate{ID: b.trader.Requisites[0], Limits: l})
		if unexpected(update) {
			return update
		}
		return err
	}
}

func numberLimits(set func(l *directory.Limits, n int32)) func(b *bundle, n int32) error {
	return func(b *bundle, n int32) error {
		return limits(func(l *directory.Limits, _ string) { set(l, n) })(b, "")
	}
}

// unexpected is an error that a caller would see as a 500.
func unexpected(err error) bool { return err != nil && fault.As(err) == nil }

var boundaryCalls = map[string]boundaryCall{
	"CreateRequisite minAmount": {
		text:   limits(func(l *directory.Limits, v string) { l.MinAmount = &v }),
		fields: []string{"limits.minAmount"},
	},
	"CreateRequisite maxAmount": {
		text:   limits(func(l *directory.Limits, v string) { l.MaxAmount = &v }),
		fields: []string{"limits.maxAmount"},
	},
	"CreateRequisite dailySum": {
		text:   limits(func(l *directory.Limits, v string) { l.DailySum = &v }),
		fields: []string{"limits.dailySum"},
	},
	"CreateRequisite workFrom": {
		text:   limits(func(l *directory.Limits, v string) { l.WorkFrom = &v }),
		fields: []string{"limits.workFrom", "limits.workUntil"},
	},
	"CreateRequisite dailyCount": {
		number: numberLimits(func(l *directory.Limits, n int32) { l.DailyCount = &n }),
		fields: []string{"limits.dailyCount"},
	},
	"CreateRequisite openPayments": {
		number: numberLimits(func(l *directory.Limits, n int32) { l.OpenPayments = &n }),
		fields: []string{"limits.openPayments"},
	},
	"CreateRequisite weight": {
		number: numberLimits(func(l *directory.Limits, n int32) { l.Weight = &n }),
		fields: []string{"limits.weight"},
	},
	"CreateRequisite traderId": {id: func(b *bundle, id int64) error {
		return onlyErr(
			b.settings.CreateRequisite(context.Background(), operator,
				directory.NewRequisite{TraderID: id, Currency: "RUB", Method: "sbp", Value: "+79001234567"}),
		)
	}, fields: []string{"traderId"}},
	"UpdateMerchant ratePercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.UpdateMerchant(context.Background(), operator,
				directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: &v}),
		)
	}, fields: []string{"ratePercent"}},
	"UpdateMerchant maxOpenPayments": {number: func(b *bundle, n int32) error {
		return onlyErr(
			b.settings.UpdateMerchant(context.Background(), operator,
				directory.MerchantUpdate{ID: b.merchant.ID, MaxOpenPayments: &n}),
		)
	}, fields: []string{"maxOpenPayments"}},
	"CreateMerchant ratePercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.CreateMerchant(context.Background(), operator,
				directory.NewMerchant{Name: "Shop", RatePercent: v}),
		)
	}, fields: []string{"ratePercent"}},
	"CreateTrader sharePercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.CreateTrader(context.Background(), operator,
				directory.NewTrader{Name: "Trader", SharePercent: v}),
		)
	}, fields: []string{"sharePercent"}},
	"CreateTrader ratePercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.CreateTrader(context.Background(), operator,
				directory.NewTrader{Name: "Trader", SharePercent: "1", RatePercent: v}),
		)
	}, fields: []string{"ratePercent"}},
	"UpdateTrader ratePercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.UpdateTrader(context.Background(), operator,
				directory.TraderUpdate{ID: b.trader.ID, RatePercent: &v}),
		)
	}, fields: []string{"ratePercent"}},
	"UpdateTrader sharePercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.UpdateTrader(context.Background(), operator,
				directory.TraderUpdate{ID: b.trader.ID, SharePercent: &v}),
		)
	}, fields: []string{"sharePercent"}},
	"UpdateTrader maxOpenPayins": {number: func(b *bundle, n int32) error {
		return onlyErr(
			b.settings.UpdateTrader(context.Background(), operator,
				directory.TraderUpdate{ID: b.trader.ID, MaxOpenPayins: &n}),
		)
	}, fields: []string{"maxOpenPayins"}},
	"SetMethod marginPercent": {
		text:   func(b *bundle, v string) error { return setMethod(b, directory.CashboxMethod{MarginPercent: v}) },
		fields: []string{"marginPercent"},
	},
	"SetMethod minAmount": {
		text:   func(b *bundle, v string) error { return setMethod(b, directory.CashboxMethod{MinAmount: v}) },
		fields: []string{"minAmount"},
	},
	"SetMethod maxAmount": {
		text:   func(b *bundle, v string) error { return setMethod(b, directory.CashboxMethod{MaxAmount: v}) },
		fields: []string{"maxAmount"},
	},
	"SetMethod validitySeconds": {number: func(b *bundle, n int32) error {
		return onlyErr(
			b.settings.SetMethod(context.Background(), operator,
				directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", ValiditySeconds: n}),
		)
	}, fields: []string{"validitySeconds"}},
	"SetPlatformLimit minAmount": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.SetPlatformLimit(context.Background(), operator,
				directory.NewPlatformLimit{Currency: "RUB", MinAmount: v, MaxAmount: "10"}),
		)
	}, fields: []string{"minAmount", "maxAmount"}},
	"SetPlatformLimit maxAmount": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.SetPlatformLimit(context.Background(), operator,
				directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: v}),
		)
	}, fields: []string{"maxAmount"}},
	"SetPayoutMethod markupPercent": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.SetPayoutMethod(context.Background(), operator,
				directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: v}),
		)
	}, fields: []string{"markupPercent"}},
	"SetPayoutMethod validitySeconds": {number: func(b *bundle, n int32) error {
		return onlyErr(b.settings.SetPayoutMethod(context.Background(), operator, directory.CashboxPayoutMethod{
			CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "1", ValiditySeconds: n,
		}))
	}, fields: []string{"validitySeconds"}},
	"FundTrader amount": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.FundTrader(context.Background(), operator,
				directory.Funding{TraderID: b.trader.ID, Amount: v, Reference: "in " + v[:min(len(v), 50)]}),
		)
	}, fields: []string{"amount"}},
	"WithdrawTrader amount": {text: func(b *bundle, v string) error {
		return onlyErr(
			b.settings.WithdrawTrader(context.Background(), operator,
				directory.Funding{TraderID: b.trader.ID, Amount: v, Reference: "out " + v[:min(len(v), 50)]}),
		)
	}, fields: []string{"amount"}},
	"SetInsurance amount": {text: func(b *bundle, v string) error {
		return onlyErr(b.settings.SetInsurance(context.Background(), operator, b.merchant.CashboxID, v))
	}, fields: []string{"amount"}},
	"CreateCashbox traderCashboxId": {id: func(b *bundle, id int64) error {
		_, _, err := b.settings.CreateCashbox(context.Background(), operator,
			directory.NewCashbox{MerchantID: b.merchant.ID, Name: "Shop", Currency: "RUB", TraderID: id})
		return err
	}, fields: []string{"traderCashboxId"}},
	"CreateCashbox merchantId": {id: func(b *bundle, id int64) error {
		_, _, err := b.settings.CreateCashbox(context.Background(), operator,
			directory.NewCashbox{MerchantID: id, Name: "Shop", Currency: "RUB"})
		return err
	}, fields: []string{"merchantId"}},
	"UpdateCashbox traderCashboxId": {id: func(b *bundle, id int64) error {
		return onlyErr(
			b.settings.UpdateCashbox(context.Background(), operator,
				directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: &id}),
		)
	}, fields: []string{"traderCashboxId"}},
}

func setMethod(b *bundle, m directory.CashboxMethod) error {
	m.CashboxID, m.Name, m.ValiditySeconds = b.merchant.CashboxID, "sbp", 900
	return onlyErr(b.settings.SetMethod(context.Background(), operator, m))
}

func onlyErr[T any](_ T, err error) error { return err }

// wantFieldOrNone wants a success, a refusal that is no validation, or a 422 that names the field:
// never a 500.
func (c boundaryCall) wantFieldOrNone(t *testing.T, name string, value any, err error) {
	t.Helper()
	refused := fault.As(err)
	switch {
	case err == nil:
	case refused == nil:
		t.Errorf("%s = %.60v: %v", name, value, err)
	case refused.Kind == fault.Invalid:
		for field := range refused.Fields {
			if !slices.Contains(c.fields, field) {
				t.Errorf("%s = %.60v: %v are wrong", name, value, refused.Fields)
			}
		}
	case refused.Kind != fault.NotFound && refused.Kind != fault.Refused && refused.Kind != fault.Conflict:
		t.Errorf("%s = %.60v: %v", name, value, err)
	}
}

// Whatever number an operator sends, the answer is a change or names the field: no constraint of a
// table answers for us.
func TestNoBoundaryIsAnInternalError(t *testing.T) {
	t.Parallel()
	for name, c := range boundaryCalls {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			for _, v := range boundaryTexts {
				if c.text != nil {
					c.wantFieldOrNone(t, name, v, c.text(b, v))
				}
			}
			for _, n := range boundaryNumbers {
				if c.number != nil {
					c.wantFieldOrNone(t, name, n, c.number(b, n))
				}
			}
			for _, id := range boundaryIDs {
				if c.id != nil {
					c.wantFieldOrNone(t, name, id, c.id(b, id))
				}
			}
		})
	}
}

// A zone must have a name that the choice of a requisite, which looks at its clock, finds it by.
func TestZonesAreKnown(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	for _, zone := range boundaryZones {
		_, updated := b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{
			ID: b.trader.Requisites[0], Limits: directory.Limits{TimeZone: &zone},
		})
		_, created := b.settings.CreateRequisite(ctx, operator, directory.NewRequisite{
			TraderID: b.trader.ID, Currency: "RUB", Method: "sbp", Value: "+79001234567",
			Limits: directory.Limits{TimeZone: &zone},
		})
		for _, err := range []error{updated, created} {
			if err != nil {
				wantFields(t, err, "limits.timeZone")
				continue
			}
			if at, err := time.LoadLocation(zone); err != nil || at == time.Local {
				t.Errorf("%q was taken, which is no zone (%v)", zone, err)
			}
		}
	}
	for _, zone := range []string{"UTC", "Europe/Moscow", "Etc/GMT-14"} {
		_, err := b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{
			ID: b.trader.Requisites[0], Limits: directory.Limits{TimeZone: &zone},
		})
		if err != nil {
			t.Errorf("%s: %v", zone, err)
		}
	}
}
