package directory_test

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
	"gateway.example/internal/testenv"
)

// boundaryTexts are amounts and percents at and around every bound that a
// column or a rule has.
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

// limited makes a requisite with limits, and sets those of one that is there.
func (b *bundle) limited(l directory.Limits) []error {
	n := directory.NewRequisite{TraderID: b.trader.ID, Currency: "RUB", Method: "sbp", Value: "+79001234567", Limits: l}
	return []error{
		testenv.ErrOf(b.settings.CreateRequisite(ctx, operator, n)),
		testenv.ErrOf(b.requisiteSet(directory.RequisiteUpdate{Limits: l})),
	}
}

// of is a call that changes one field of an update.
func of[U, V any](call func(*bundle, U) (directory.Change, error), set func(u *U, v V)) func(b *bundle, v V) error {
	return func(b *bundle, v V) error {
		var u U
		set(&u, v)
		return testenv.ErrOf(call(b, u))
	}
}

func limits[V any](set func(l *directory.Limits, v V)) func(b *bundle, v V) error {
	return func(b *bundle, v V) error {
		var l directory.Limits
		set(&l, v)
		errs := b.limited(l)
		if errs[1] != nil && fault.As(errs[1]) == nil {
			return errs[1]
		}
		return errs[0]
	}
}

// Calls that give one field a value, by their name and the fields that may be
// named as wrong: texts, numbers, and ids.
var (
	textCalls = map[string]func(b *bundle, v string) error{
		"CreateRequisite limits.minAmount":                 limits(func(l *directory.Limits, v string) { l.MinAmount = &v }),
		"CreateRequisite limits.maxAmount":                 limits(func(l *directory.Limits, v string) { l.MaxAmount = &v }),
		"CreateRequisite limits.dailySum":                  limits(func(l *directory.Limits, v string) { l.DailySum = &v }),
		"CreateRequisite limits.workFrom limits.workUntil": limits(func(l *directory.Limits, v string) { l.WorkFrom = &v }),
		"CreateMerchant ratePercent": func(b *bundle, v string) error {
			return testenv.ErrOf(b.settings.CreateMerchant(ctx, operator, directory.NewMerchant{Name: "Shop", RatePercent: v}))
		},
		"CreateTrader sharePercent": func(b *bundle, v string) error {
			return testenv.ErrOf(b.settings.CreateTrader(ctx, operator, directory.NewTrader{Name: "Trader", SharePercent: v}))
		},
		"CreateTrader ratePercent": func(b *bundle, v string) error {
			n := directory.NewTrader{Name: "Trader", SharePercent: "1", RatePercent: v}
			return testenv.ErrOf(b.settings.CreateTrader(ctx, operator, n))
		},
		"SetMethod marginPercent": method(func(m *directory.CashboxMethod, v string) { m.MarginPercent = v }),
		"SetMethod minAmount":     method(func(m *directory.CashboxMethod, v string) { m.MinAmount = v }),
		"SetMethod maxAmount":     method(func(m *directory.CashboxMethod, v string) { m.MaxAmount = v }),
		"SetPlatformLimit minAmount maxAmount": func(b *bundle, v string) error {
			l := directory.NewPlatformLimit{Currency: "RUB", MinAmount: v, MaxAmount: "10", Reason: "why"}
			return testenv.ErrOf(b.settings.SetPlatformLimit(ctx, operator, l))
		},
		"SetPlatformLimit maxAmount": func(b *bundle, v string) error {
			l := directory.NewPlatformLimit{Currency: "RUB", MinAmount: "10", MaxAmount: v, Reason: "why"}
			return testenv.ErrOf(b.settings.SetPlatformLimit(ctx, operator, l))
		},
		"SetPayoutMethod markupPercent": func(b *bundle, v string) error {
			m := directory.CashboxPayoutMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: v}
			return testenv.ErrOf(b.settings.SetPayoutMethod(ctx, operator, m))
		},
		"FundTrader amount": func(b *bundle, v string) error {
			return testenv.ErrOf(b.settings.FundTrader(ctx, operator, b.funding(v, "in "+v[:min(len(v), 50)])))
		},
		"WithdrawTrader amount": func(b *bundle, v string) error {
			return testenv.ErrOf(b.settings.WithdrawTrader(ctx, operator, b.funding(v, "out "+v[:min(len(v), 50)])))
		},
		"SetInsurance amount": func(b *bundle, v string) error {
			return testenv.ErrOf(b.settings.SetInsurance(ctx, operator, b.merchant.CashboxID, v))
		},
	}
	numberCalls = map[string]func(b *bundle, n int32) error{
		"CreateRequisite limits.dailyCount":   limits(func(l *directory.Limits, n int32) { l.DailyCount = &n }),
		"CreateRequisite limits.openPayments": limits(func(l *directory.Limits, n int32) { l.OpenPayments = &n }),
		"CreateRequisite limits.weight":       limits(func(l *directory.Limits, n int32) { l.Weight = &n }),
		"SetMethod validitySeconds":           method(func(m *directory.CashboxMethod, n int32) { m.ValiditySeconds = n }),
		"SetPayoutMethod validitySeconds": func(b *bundle, n int32) error {
			return testenv.ErrOf(b.settings.SetPayoutMethod(ctx, operator, directory.CashboxPayoutMethod{
				CashboxID: b.merchant.CashboxID, Name: "sbp", MarkupPercent: "1", ValiditySeconds: n,
			}))
		},
	}
	idCalls = map[string]func(b *bundle, id int64) error{
		"CreateRequisite traderId": func(b *bundle, id int64) error {
			n := directory.NewRequisite{TraderID: id, Currency: "RUB", Method: "sbp", Value: "+79001234567"}
			return testenv.ErrOf(b.settings.CreateRequisite(ctx, operator, n))
		},
		"CreateCashbox traderCashboxId": func(b *bundle, id int64) error {
			return b.newCashbox(directory.NewCashbox{MerchantID: b.merchant.ID, TraderID: id})
		},
		"CreateCashbox merchantId": func(b *bundle, id int64) error {
			return b.newCashbox(directory.NewCashbox{MerchantID: id})
		},
		"UpdateCashbox traderCashboxId": of((*bundle).boxSet, func(u *directory.CashboxUpdate, id int64) { u.TraderID = &id }),
	}
)

func method[V any](set func(m *directory.CashboxMethod, v V)) func(b *bundle, v V) error {
	return func(b *bundle, v V) error {
		m := directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "sbp", ValiditySeconds: 900}
		set(&m, v)
		return testenv.ErrOf(b.settings.SetMethod(ctx, operator, m))
	}
}

func (b *bundle) newCashbox(n directory.NewCashbox) error {
	n.Name, n.Currency = "Shop", "RUB"
	_, _, err := b.settings.CreateCashbox(ctx, operator, n)
	return err
}

// settingCalls change one setting each: those that are declared of a subject
// and are of one type.
func settingCalls[V, U any](
	subject setting.Subject, call func(*bundle, U) (directory.Change, error),
) map[string]func(b *bundle, v V) error {
	calls := map[string]func(b *bundle, v V) error{}
	for _, one := range subject.Settings {
		var none U
		if _, is := one.In(reflect.ValueOf(none)).Interface().(*V); is {
			calls[subject.Name+" "+one.Name] = of(call, func(u *U, v V) { one.In(reflect.ValueOf(u).Elem()).Set(reflect.ValueOf(&v)) })
		}
	}
	return calls
}

// wantNamed makes each call with each value, and wants a success, a refusal
// that is no validation, or a 422 that names the call's fields alone: never a
// 500.
func wantNamed[V any](t *testing.T, calls map[string]func(b *bundle, v V) error, values []V) {
	t.Helper()
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			b, fields := setup(t), strings.Fields(name)[1:]
			for _, v := range values {
				err := call(b, v)
				refused := fault.As(err)
				switch {
				case err == nil:
				case refused == nil:
					t.Errorf("%.60v: %v", v, err)
				case refused.Kind == fault.Invalid:
					for field := range refused.Fields {
						testenv.Check(t, slices.Contains(fields, field), "%.60v: %v are wrong", v, refused.Fields)
					}
				case refused.Kind != fault.NotFound && refused.Kind != fault.Refused && refused.Kind != fault.Conflict:
					t.Errorf("%.60v: %v", v, err)
				}
			}
		})
	}
}

// Whatever number an operator sends, the answer is a change or names the field:
// no constraint of a table answers for us.
func TestNoBoundaryIsAnInternalError(t *testing.T) {
	t.Parallel()
	wantNamed(t, textCalls, boundaryTexts)
	wantNamed(t, settingCalls[string](setting.Merchant, (*bundle).merchantSet), boundaryTexts)
	wantNamed(t, settingCalls[string](setting.Trader, (*bundle).traderSet), boundaryTexts)
	wantNamed(t, numberCalls, boundaryNumbers)
	wantNamed(t, settingCalls[int32](setting.Merchant, (*bundle).merchantSet), boundaryNumbers)
	wantNamed(t, settingCalls[int32](setting.Trader, (*bundle).traderSet), boundaryNumbers)
	wantNamed(t, idCalls, boundaryIDs)
}

// A zone must have a name that the choice of a requisite, which looks at its
// clock, finds it by.
func TestZonesAreKnown(t *testing.T) {
	b := setup(t)
	for _, zone := range boundaryZones {
		for _, err := range b.limited(directory.Limits{TimeZone: &zone}) {
			if err != nil {
				dbtest.WantFields(t, err, "limits.timeZone")
			} else if at, err := time.LoadLocation(zone); err != nil || at == time.Local {
				t.Errorf("%q was taken, which is no zone (%v)", zone, err)
			}
		}
	}
	for _, zone := range []string{"UTC", "Europe/Moscow", "Etc/GMT-14"} {
		testenv.NoError(t, b.limited(directory.Limits{TimeZone: &zone})[1])
	}
}

// Each setting is a column, and its bounds and first value are those of the
// schema.
func TestDeclaredAsTheSchemaHasIt(t *testing.T) {
	t.Parallel()
	pool := dbtest.New(t).Pool
	number := regexp.MustCompile(`[0-9]+`)
	for _, subject := range setting.Subjects {
		for _, one := range subject.Settings {
			column := setting.Column(one.Name)
			var first, check string
			testenv.NoError(t, pool.QueryRow(ctx, `
				select coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(pg_get_constraintdef(c.oid), '')
				from pg_attribute a
				left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
				left join pg_constraint c on c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum]
				where a.attrelid = $1::regclass and a.attname = $2`, subject.Name, column).Scan(&first, &check))
			first = strings.TrimSuffix(strings.Trim(first, "'"), "'::text")
			if one.First != "" {
				testenv.Want(t, first, one.First, "%s.%s is at first", subject.Name, column)
			}
			var bounds string
			switch {
			case one.Kind == setting.Percent || one.Kind == setting.Earning:
				bounds = "0 100"
			case one.Kind == setting.Whole && one.Max > 0:
				bounds = fmt.Sprint(one.Min, one.Max)
			default:
				continue
			}
			testenv.Want(t, strings.Join(number.FindAllString(check, -1), " "), bounds, "%s.%s is between", subject.Name,
				column)
		}
	}
}
