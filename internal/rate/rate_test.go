package rate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
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
	const first = `{"stale_at": null, "observed_at": "2026-11-20T12:00:00+00:00", "fiat_per_usdt": "92.35000000"}`
	const second = `{"stale_at": "2026-11-20T13:01:30+00:00", "observed_at": "2026-11-20T13:00:00+00:00", "fiat_per_usdt": "93.50000000"}`
	b.wantLog(t, "operator:7 rate RUB new "+first+" 2026-11-20 12:00:00",
		"operator:7 rate RUB "+first+" "+second+" 2026-11-20 13:00:00")
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
	testenv.WantAll(t, b.Texts(t, "select before::text from setting_change where before is not null order by id"),
		b.Texts(t, "select after::text from setting_change order by id limit 5"), "what each says was before it")
	testenv.Want(t, len(b.log(t)), 6, "rows")
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.settings, map[string]string{"operator": "Bands Day List Set SetFeed"})
}

// creeping is the address of a feed that answers what it is told.
func creeping(t *testing.T, value *string) string {
	t.Helper()
	return newSource(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"rate": %s}`, *value) }).URL
}

// A feed that creeps, each value within the band of the one before, stops where the day's band
// ends, whether it has just begun or has been sound for a day. The operator is told.
func TestFeedThatCreeps(t *testing.T) {
	t.Parallel()
	for name, hours := range map[string]int{"from the first value on": 0, "after some hours": 8, "after two days": 48} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			answer := "480"
			f := feed(creeping(t, &answer))
			f.PollSeconds, f.FreshSeconds = 1, 600
			f = b.setFeed(t, f)
			b.poll(t)
			for range hours * 6 {
				b.clock.Advance(10 * time.Minute)
				b.poll(t)
			}
			var base rate.Base
			for range 200 {
				base = testenv.Must(rate.Current(t.Context(), b.Queries(), "RUB", b.clock.Now()))(t)
				answer = base.FiatPerUSDT.Mul(decimal.RequireFromString("0.99")).Round(4).String()
				b.clock.Advance(time.Second)
				b.poll(t)
			}
			testenv.Check(t, !base.FiatPerUSDT.LessThan(decimal.NewFromInt(432)) &&
				!base.FiatPerUSDT.GreaterThan(decimal.NewFromInt(437)), "crept to %s", base.FiatPerUSDT)
			b.wantError(t, f.ID,
				fmt.Sprintf("%s is more than 10%% away from 480, the median of the last 24 hours", answer))
			n := b.metric(t, "out_of_day_band")
			testenv.Check(t, n >= 150, "%d polls out of the day's band", n)
		})
	}
}

// A market that moves slowly is followed: the median goes with it. What is kept is a value a minute of the last day.
func TestDayBandFollowsTheMarket(t *testing.T) {
	b := setup(t)
	answer := "100"
	f := feed(creeping(t, &answer))
	f.DayBandPercent = "7"
	f = b.setFeed(t, f)
	value := decimal.NewFromInt(100)
	for range 4 * 24 * 3 {
		b.poll(t)
		b.wantError(t, f.ID, "")
		b.clock.Advance(20 * time.Minute)
		value = value.Mul(decimal.RequireFromString("1.0015")).Round(6)
		answer = value.String()
	}
	for range 5 { // within a minute
		b.poll(t)
		b.clock.Advance(10 * time.Second)
	}
	kept := b.Count(t, "select count(*) from rate_observation")
	testenv.Check(t, kept >= 71 && kept <= 73, "%d values are kept, want those of 24 hours", kept)
}

// Where the market has jumped beyond the band, the operator sets the rate by hand and has the feed begin afresh.
func TestDayBandBeginsAfresh(t *testing.T) {
	b := setup(t)
	answer := "100"
	f := b.setFeed(t, feed(creeping(t, &answer)))
	b.poll(t)
	b.turn(t, f, false)
	b.setRate(t, "150", 1)
	b.turn(t, f, true)
	b.clock.Advance(time.Minute)
	answer = "151"
	b.poll(t)
	b.wantError(t, f.ID, "")
	b.wantRate(t, fmt.Sprintf("feed:%d 151", f.ID))
}

// The first value of a feed is judged by the rate in use, and by the one before the steps that one operator took alone.
func TestFirstValueAfterSteps(t *testing.T) {
	b := setup(t)
	b.setRate(t, "100", 3600)
	b.settings.FourEyes = foureyes.Rules{On: true, RatePercent: decimal.NewFromInt(5)}
	b.setRate(t, "104", 1)
	b.settings.FourEyes = foureyes.Rules{}
	answer := "108" // near 104, and too far from 100
	f := b.setFeed(t, feed(creeping(t, &answer)))
	b.clock.Advance(time.Minute)
	b.poll(t)
	b.wantError(t, f.ID, "108 is more than 5% away from 100, the rate of 24 hours ago")
}

// Outside a sandbox feeds have public https addresses, which is looked at again whenever they are polled.
func TestFeedAddresses(t *testing.T) {
	b := setup(t)
	answer := "100"
	f := b.setFeed(t, feed(creeping(t, &answer)))
	production := rate.NewSettings(b.Pool, b.clock, outbound.NewAddresses(false), foureyes.Rules{})
	for _, url := range []string{
		"http://rates.example/", "https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/",
	} {
		_, err := production.SetFeed(t.Context(), operator, feed(url))
		refused := fault.As(err)
		testenv.Check(t, refused != nil && len(refused.Fields["feed.url"]) == 1, "%s: %v", url, err)
	}
	pollBy(t, rate.NewPoller(b.Pool, b.clock, outbound.NewAddresses(false), nil))
	b.wantError(t, f.ID, "the address must be an https URL")
	// A name, of which Check knows nothing, is judged where it is dialled.
	b.clock.Advance(time.Minute)
	pollBy(t, rate.NewPoller(b.Pool, b.clock, unchecked{outbound.NewAddresses(false)}, nil))
	b.wantError(t, f.ID, "the host's address is not public")
}

// unchecked judges addresses only where they are dialled.
type unchecked struct{ *outbound.Addresses }

func (unchecked) Check(string) string { return "" }

// Reckoned by hand; frozen is rounded up, spot and the trader's share down.
func TestQuotePayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fiat, base, markup, share, spot, frozen, trader, platform string }{
		// 1000 / 92.5 = 10.810810810…; × 1.02 = 11.027027027…; 1.5% of spot 0.16216216.
		{"1000", "92.5", "2", "1.5", "10.81081081", "11.02702703", "10.97297297", "0.05405406"},
		// Nothing to round.
		{"1000", "100", "2", "1", "10", "10.2", "10.1", "0.1"},
		// Without a markup only the rounding is left, and it is the platform's or the trader's, never lost.
		{"1000", "92.5", "0", "0", "10.81081081", "10.81081082", "10.81081081", "0.00000001"},
		{"1000", "92.5", "0", "100", "10.81081081", "10.81081082", "10.81081082", "0"},
		// A share above the markup is the whole markup.
		{"1000", "100", "2", "5", "10", "10.2", "10.2", "0"},
		// Less than the last decimal is still paid for.
		{"1", "999999999999", "0", "1", "0", "0.00000001", "0", "0.00000001"},
	} {
		number := decimal.RequireFromString
		q := rate.QuotePayout(number(c.fiat), number(c.base), number(c.markup))
		trader, platform := q.Divide(number(c.share))
		for name, pair := range map[string][2]decimal.Decimal{
			"spot": {q.Spot, number(c.spot)}, "frozen": {q.Frozen, number(c.frozen)},
			"trader": {trader, number(c.trader)}, "platform": {platform, number(c.platform)},
		} {
			testenv.Check(t, pair[0].Equal(pair[1]),
				"%s at %s + %s%%: %s is %s, want %s", c.fiat, c.base, c.markup, name, pair[0], pair[1])
		}
	}
}

// What money that came is worth, by hand, at 100 RUB per USDT, a markup of 5% and a trader's share of 2% of spot. Of 1000 RUB spot
// is 1000/100 = 10, the merchant's 1000/105 = 9.52380952, the spread 0.47619048: 0.2 for the trader, 0.27619048 for the platform.
// Of 800: 8; 800/105 = 7.61904761 (7.619047619… rounded down), 0.38095239: 0.16 and 0.22095239. Of 1250.50: 12.505;
// 1250.5/105 = 11.90952380, 0.59547620: 0.2501 and 0.34537620. Of 0.01: 0.0001; 0.01/105 = 0.00009523, 0.00000477: 0.000002
// and 0.00000277.
func TestArrival(t *testing.T) {
	t.Parallel()
	number := decimal.RequireFromString
	for name, c := range map[string]struct {
		came                 string
		asItCame, toPlatform bool
		want                 string
	}{
		"as asked":                            {"1000", false, false, "9.52380952 0.2 0.27619048 0"},
		"as asked, and as it came":            {"1000", true, false, "9.52380952 0.2 0.27619048 0"},
		"less, taken as it came":              {"800", true, false, "7.61904761 0.16 0.22095239 0"},
		"more, taken as it came":              {"1250.50", true, false, "11.9095238 0.2501 0.3453762 0"},
		"next to nothing":                     {"0.01", true, false, "0.00009523 0.000002 0.00000277 0"},
		"a little less, on the trader":        {"998.50", false, false, "9.52380952 0.2 0.27619048 0"},
		"a little less, on the platform":      {"998.50", false, true, "9.52380952 0.2 0.27619048 -0.015"},
		"a little more, for the platform":     {"1001.01", false, true, "9.52380952 0.2 0.27619048 0.0101"},
		"as it came leaves nobody difference": {"800", true, true, "7.61904761 0.16 0.22095239 0"},
	} {
		a := rate.Arrival{Asked: number("1000"), Came: number(c.came), AsItCame: c.asItCame, ToPlatform: c.toPlatform}
		quote, difference := a.Worth(number("100"), rate.Terms{Markup: number("5"), TraderShare: number("2")})
		got := quote.Amount.String() + " " + quote.SpreadTrader.String() + " " + quote.SpreadPlatform.String() + " " + difference.String()
		testenv.Want(t, got, c.want, "%s", name)
	}
	// 0.01 RUB at 92.51 RUB per USDT is 0.000108096…, rounded towards nothing on either side.
	for came, want := range map[string]string{"999.99": "-0.00010809", "1000.01": "0.00010809"} {
		a := rate.Arrival{Asked: number("1000"), Came: number(came), ToPlatform: true}
		_, difference := a.Worth(number("92.51"), rate.Terms{})
		testenv.Want(t, difference.String(), want, "%s", came)
	}
}
