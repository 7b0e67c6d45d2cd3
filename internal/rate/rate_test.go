package rate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestCalculate(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "quotes.txt") {
		t.Run(row[0], func(t *testing.T) {
			q := rate.Calculate(dec(row[1]), dec(row[2]), rate.Terms{Markup: dec(row[3]), TraderShare: dec(row[4])})
			for i, got := range []decimal.Decimal{q.Spot, q.Amount, q.Profit, q.SpreadTrader, q.SpreadPlatform} {
				testenv.Want(t, got.StringFixed(8), row[5+i], "part %d", i)
			}
			testenv.Want(t, q.Hold().StringFixed(8), dec(row[5]).Sub(dec(row[8])).StringFixed(8), "to hold")
		})
	}
}

// Whatever the terms, spot is split without loss, nobody's part is negative, and spot and amount
// are the exact quotients of math/big rounded down at 8 decimals.
func TestQuoteSplitsSpotExactly(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		fiat := decimal.New(random.Int64N(1_000_000_000_00)+100, -2)
		base := decimal.New(random.Int64N(10_000_000_000)+1, -int32(random.IntN(9)))
		terms := rate.Terms{
			Markup: decimal.New(random.Int64N(100_0001), -4), TraderShare: decimal.New(random.Int64N(100_0001), -4),
		}
		q := rate.Calculate(fiat, base, terms)
		sum := decimal.Sum(q.Amount, q.SpreadTrader, q.SpreadPlatform)
		testenv.Need(t, sum.Equal(q.Spot), "%s at %s, %+v: parts come to %s, spot is %s", fiat, base, terms, sum, q.Spot)
		for _, part := range []decimal.Decimal{q.Amount, q.Profit, q.SpreadTrader, q.SpreadPlatform, q.Hold()} {
			testenv.Need(t, !part.IsNegative() && part.Exponent() >= -8, "%s at %s, %+v: part %s", fiat, base, terms, part)
		}
		percent := new(big.Rat).Quo(terms.Markup.Rat(), big.NewRat(100, 1))
		marked := new(big.Rat).Mul(base.Rat(), new(big.Rat).Add(big.NewRat(1, 1), percent))
		testenv.Need(t, q.Spot.Cmp(cut(fiat.Rat(), base.Rat())) == 0 && q.Amount.Cmp(cut(fiat.Rat(), marked)) == 0,
			"%s at %s, %+v: spot %s, amount %s", fiat, base, terms, q.Spot, q.Amount)
	}
}

// cut divides exactly and rounds down at 8 decimals.
func cut(a, b *big.Rat) decimal.Decimal {
	units := new(big.Rat).Mul(new(big.Rat).Quo(a, b), big.NewRat(100_000_000, 1))
	return decimal.NewFromBigInt(new(big.Int).Quo(units.Num(), units.Denom()), -8)
}

func TestMarkupPriority(t *testing.T) {
	t.Parallel()
	none, zero := decimal.NullDecimal{}, decimal.NewNullDecimal(decimal.Zero)
	percent := func(n int64) decimal.NullDecimal { return decimal.NewNullDecimal(decimal.NewFromInt(n)) }
	cases := map[string]struct {
		body, method, merchant, trader decimal.NullDecimal
		want, source                   string
	}{
		"body over all":           {percent(1), percent(2), percent(3), percent(4), "1", "body"},
		"method next":             {none, percent(2), percent(3), percent(4), "2", "cashbox_method"},
		"merchant next":           {none, none, percent(3), percent(4), "3", "merchant"},
		"trader next":             {none, none, none, percent(4), "4", "trader"},
		"configuration last":      {none, none, none, none, "5", "configuration"},
		"a zero is named, body":   {zero, percent(2), percent(3), percent(4), "0", "body"},
		"a zero is named, method": {none, zero, percent(3), percent(4), "0", "cashbox_method"},
		"a zero is named, trader": {none, none, none, zero, "0", "trader"},
	}
	for name, c := range cases {
		got, source := rate.Markups{
			Body: c.body, CashboxMethod: c.method, Merchant: c.merchant, Trader: c.trader,
			Configuration: decimal.NewFromInt(5),
		}.Pick()
		testenv.Check(t, got.String() == c.want && source == c.source,
			"%s: %s from %s, want %s from %s", name, got, source, c.want, c.source)
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	testenv.WantError(t, testenv.ErrOf(rate.Current(t.Context(), d.Queries(), "RUB", dbtest.Start)), rate.ErrNone, "never any rate")
	d.SetRate(t, "RUB", "92.35", true)
	d.SetRate(t, "AZN", "1.7", false) // stale from Start on
	cases := map[string]struct {
		currency string
		now      time.Time
		want     string
		fresh    bool
	}{
		"without an end":      {"RUB", dbtest.Start.AddDate(10, 0, 0), "92.35", true},
		"just before the end": {"AZN", dbtest.Start.Add(-time.Millisecond), "1.7", true},
		"at the end":          {"AZN", dbtest.Start, "1.7", false},
		"long after":          {"AZN", dbtest.Start.AddDate(1, 0, 0), "1.7", false},
	}
	for name, c := range cases {
		got, err := rate.Current(t.Context(), d.Queries(), c.currency, c.now)
		testenv.Check(t, err == nil && got.FiatPerUSDT.String() == c.want && got.Fresh == c.fresh &&
			got.Source == "test", "%s: %+v, %v", name, got, err)
	}
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

func TestSetRate(t *testing.T) {
	b := setup(t)
	known := testenv.Must(b.settings.Set(t.Context(), operator, rate.Manual{Currency: "RUB", FiatPerUSDT: "92.35"}))(t)
	testenv.Check(t, known.Currency == "RUB" && known.Source == "operator" && known.Priority == 0 &&
		known.FiatPerUSDT.String() == "92.35" && known.ObservedAt.Equal(after(0)) && known.StaleAt == nil &&
		known.InUse && known.Fresh, "%+v", known)
	b.clock.Advance(time.Hour)
	b.wantRate(t, "operator 92.35")
	known = testenv.Must(b.settings.Set(t.Context(), operator,
		rate.Manual{Currency: "RUB", FiatPerUSDT: "93.5", ValidSeconds: new(int64(90))}))(t)
	testenv.Check(t, known.FiatPerUSDT.String() == "93.5" && known.ObservedAt.Equal(after(3600)) &&
		known.StaleAt != nil && known.StaleAt.Equal(after(3690)), "%+v", known)
	b.clock.Advance(90*time.Second - time.Millisecond)
	b.wantRate(t, "operator 93.5")
	b.clock.Advance(time.Millisecond)
	b.wantRate(t, "operator 93.5 stale")
	first := map[string]any{"fiat_per_usdt": "92.35000000", "observed_at": "2026-11-20T12:00:00+00:00", "stale_at": nil}
	b.wantLog(t, []settingRow{
		{"operator:7", "rate", "RUB", nil, first, after(0)},
		{"operator:7", "rate", "RUB", first, map[string]any{
			"fiat_per_usdt": "93.50000000", "observed_at": "2026-11-20T13:00:00+00:00", "stale_at": "2026-11-20T13:01:30+00:00",
		}, after(3600)},
	})
}

func (b *bundle) wantLog(t *testing.T, want []settingRow) {
	t.Helper()
	got := b.log(t)
	testenv.Need(t, len(got) == len(want), "%d rows in the log, want %d", len(got), len(want))
	for i := range got {
		testenv.Check(t, got[i].at.Equal(want[i].at), "row %d is of %s", i, got[i].at)
		got[i].at = want[i].at
		testenv.Check(t, reflect.DeepEqual(got[i], want[i]), "row %d of the log:\n%v, want\n%v", i, got[i], want[i])
	}
}

func TestSetRateValidation(t *testing.T) {
	b := setup(t)
	for _, row := range testenv.Rows(t, "rates.txt") {
		m := rate.Manual{Currency: "RUB", FiatPerUSDT: "1"}
		testenv.NoError(t, json.Unmarshal([]byte(row[1]), &m))
		t.Run(row[0], func(t *testing.T) {
			_, err := b.settings.Set(t.Context(), operator, m)
			if len(row) == 2 {
				testenv.NoError(t, err)
				return
			}
			dbtest.WantFields(t, err, strings.Fields(row[2])...)
		})
	}
	testenv.Want(t, len(b.log(t)), 2, "changes in the log")
}

// What the codec found wrong is answered together with what is found here, and not twice.
func TestDecodedFaultsCount(t *testing.T) {
	b := setup(t)
	ctx := fault.WithDecoded(context.Background(),
		fault.Fields{"currency": {"must not contain NUL"}, "feed.url": {"must not contain NUL"}})
	err := testenv.ErrOf(b.settings.Set(ctx, operator, rate.Manual{FiatPerUSDT: "1"}))
	dbtest.WantFields(t, err, "currency", "feed.url")
	f := fault.As(err)
	testenv.Check(t, f == nil || len(f.Fields["currency"]) == 1, "%v", f.Fields)
}

// Of changes at the same time each knows what the one before it left, the first one too.
func TestSetRateInParallel(t *testing.T) {
	b := setup(t)
	testenv.NoError(t, testenv.AtOnce(6, func(i int) error {
		return testenv.ErrOf(b.settings.Set(t.Context(), operator, rate.Manual{Currency: "RUB", FiatPerUSDT: fmt.Sprint(91 + i)}))
	})...)
	var before map[string]any
	rows := b.log(t)
	for i, row := range rows {
		testenv.Check(t, reflect.DeepEqual(row.before, before),
			"row %d: before was %v, and it says %v", i, before, row.before)
		before = row.after
	}
	testenv.Want(t, len(rows), 6, "rows")
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.settings, map[string]string{"operator": "Bands Day List Set SetFeed"})
}
