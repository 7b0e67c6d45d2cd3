package rate_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// Each example is calculated by hand from the contract: spot = amount / base, amountUsdt = amount /
// (base × (1 + markup/100)), both rounded down at 8 decimals; profit = spot − amountUsdt; trader =
// min(profit, spot × share %).
func TestCalculate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		fiat, base, markup, share              string
		spot, amount, profit, trader, platform string
	}{
		// 1000/100 = 10; 1000/105 = 9.523809523…; 10 × 2% = 0.2; 0.47619048 − 0.2 = 0.27619048.
		"round numbers": {
			"1000", "100", "5", "2", "10.00000000", "9.52380952", "0.47619048", "0.20000000", "0.27619048",
		},
		// 1000/92.35 = 10.828370330…; 92.35 × 1.065 = 98.35275, 1000/98.35275 = 10.167483878…; the
		// difference is
		// 0.66088646; 10.82837033 × 1.5% = 0.16242555495; the rest is 0.49846091.
		"odd numbers": {
			"1000", "92.35", "6.5", "1.5", "10.82837033", "10.16748387", "0.66088646", "0.16242555", "0.49846091",
		},
		// 1234.56/97.531 = 12.658129210…; 97.531 × 1.0325 = 100.7007575, 1234.56/100.7007575 = 12.259689307…; the
		// difference is 0.39843991; 12.65812921 × 1.2% = 0.15189755052; the rest is 0.24654236.
		"more decimals": {
			"1234.56", "97.531", "3.25", "1.2", "12.65812921", "12.25968930", "0.39843991", "0.15189755", "0.24654236",
		},
		// 2/3 = 0.666666666…, down and not to the nearest.
		"rounds down": {"2", "3", "0", "0", "0.66666666", "0.66666666", "0.00000000", "0.00000000", "0.00000000"},
		// Without a markup there is no spread, and a share of nothing: min(0, 0.2).
		"no markup": {"1000", "100", "0", "2", "10.00000000", "10.00000000", "0.00000000", "0.00000000", "0.00000000"},
		// 1000/200 = 5; 10 × 2% = 0.2.
		"full markup": {
			"1000", "100", "100", "2", "10.00000000", "5.00000000", "5.00000000", "0.20000000", "4.80000000",
		},
		// 10 × 60% = 6, more than the spread of 5: the trader gets the whole of it and no more.
		"share above the spread": {
			"1000", "100", "100", "60", "10.00000000", "5.00000000", "5.00000000", "5.00000000", "0.00000000",
		},
		// 10 × 50% = 5, exactly the spread.
		"share equal to the spread": {
			"1000", "100", "100", "50", "10.00000000", "5.00000000", "5.00000000", "5.00000000", "0.00000000",
		},
		// 1/3 and 1/6 are each cut: 0.33333333 − 0.16666666 = 0.16666667; 0.33333333 × 2% =
		// 0.0066666666.
		"every part is cut": {
			"1", "3", "100", "2", "0.33333333", "0.16666666", "0.16666667", "0.00666666", "0.16000001",
		},
		// 1/999999999999 is far below the eighth decimal.
		"worth nothing": {
			"1", "999999999999", "5", "2", "0.00000000", "0.00000000", "0.00000000", "0.00000000", "0.00000000",
		},
		// 1/99999999 = 0.0000000100000001 at the base, 0.0000000095… with the markup: one unit, and
		// none.
		"one unit of spot": {
			"1", "99999999", "5", "100", "0.00000001", "0.00000000", "0.00000001", "0.00000001", "0.00000000",
		},
		// The dearest payment at the cheapest rate: × 10⁸. × 100/105 =
		// 95238095238094285714.285714285…; 2% of spot is
		// 1999999999999980000. All of it has at most 20 integer digits, as the columns do.
		"the utmost": {
			"999999999999.99", "0.00000001", "5", "2", "99999999999999000000.00000000", "95238095238094285714.28571428",
			"4761904761904714285.71428572", "1999999999999980000.00000000", "2761904761904734285.71428572",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := rate.Calculate(dec(c.fiat), dec(c.base), rate.Terms{Markup: dec(c.markup), TraderShare: dec(c.share)})
			for part, got := range map[string][2]string{
				"spot": {q.Spot.StringFixed(8), c.spot}, "amount": {q.Amount.StringFixed(8), c.amount},
				"profit": {q.Profit.StringFixed(8), c.profit}, "trader": {q.SpreadTrader.StringFixed(8), c.trader},
				"platform": {q.SpreadPlatform.StringFixed(8), c.platform},
				"hold":     {q.Hold().StringFixed(8), dec(c.spot).Sub(dec(c.trader)).StringFixed(8)},
			} {
				testenv.Want(t, got[0], got[1], "the other's %s", part)
			}
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
		if sum := decimal.Sum(q.Amount, q.SpreadTrader, q.SpreadPlatform); !sum.Equal(q.Spot) {
			t.Fatalf("%s at %s, %+v: parts come to %s, spot is %s", fiat, base, terms, sum, q.Spot)
		}
		for _, part := range []decimal.Decimal{q.Amount, q.Profit, q.SpreadTrader, q.SpreadPlatform, q.Hold()} {
			if part.IsNegative() || part.Exponent() < -8 {
				t.Fatalf("%s at %s, %+v: part %s", fiat, base, terms, part)
			}
		}
		marked := new(
			big.Rat,
		).Mul(base.Rat(), new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Quo(terms.Markup.Rat(), big.NewRat(100, 1))))
		if q.Spot.Cmp(cut(fiat.Rat(), base.Rat())) != 0 || q.Amount.Cmp(cut(fiat.Rat(), marked)) != 0 {
			t.Fatalf("%s at %s, %+v: spot %s, amount %s", fiat, base, terms, q.Spot, q.Amount)
		}
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
		if got.String() != c.want || source != c.source {
			t.Errorf("%s: %s from %s, want %s from %s", name, got, source, c.want, c.source)
		}
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ctx := context.Background()
	if _, err := rate.Current(ctx, d.Queries(), "RUB", dbtest.Start); !errors.Is(err, rate.ErrNone) {
		t.Fatalf("never any rate: %v", err)
	}
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
		got, err := rate.Current(ctx, d.Queries(), c.currency, c.now)
		if err != nil || got.FiatPerUSDT.String() != c.want || got.Fresh != c.fresh || got.Source != "test" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }
