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

// Whatever the terms, spot is split without loss, nobody's part is negative,
// and spot and amount are the exact quotients of math/big rounded down at 8
// decimals.
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
	for _, row := range testenv.Rows(t, "markups.txt") {
		var percents [4]decimal.NullDecimal
		for i, percent := range row[1:5] {
			if percent != "-" {
				percents[i] = decimal.NewNullDecimal(dec(percent))
			}
		}
		got, source := rate.Markups{
			Body: percents[0], CashboxMethod: percents[1], Merchant: percents[2], Trader: percents[3], Configuration: dec("5"),
		}.Pick()
		testenv.Want(t, got.String()+" "+source, row[5]+" "+row[6], "%s", row[0])
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

// What the codec found wrong is answered together with what is found here, and
// not twice.
func TestDecodedFaultsCount(t *testing.T) {
	b := setup(t)
	ctx := fault.WithDecoded(context.Background(),
		fault.Fields{"currency": {"must not contain NUL"}, "feed.url": {"must not contain NUL"}})
	err := testenv.ErrOf(b.settings.Set(ctx, operator, rate.Manual{FiatPerUSDT: "1"}))
	dbtest.WantFields(t, err, "currency", "feed.url")
	f := fault.As(err)
	testenv.Check(t, f == nil || len(f.Fields["currency"]) == 1, "%v", f.Fields)
}

// Of changes at the same time each knows what the one before it left, the first
// one too.
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

// A feed that creeps, each value within the band of the one before, stops where
// the day's band ends, whether it has just begun or has been sound for a day.
// The operator is told.
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

// A market that moves slowly is followed: the median goes with it. What is kept
// is a value a minute of the last day.
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

// Where the market has jumped beyond the band, the operator sets the rate by
// hand and has the feed begin afresh.
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

// The first value of a feed is judged by the rate in use, and by the one before
// the steps that one operator took alone.
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

// Outside a sandbox feeds have public https addresses, which is looked at again
// whenever they are polled.
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

// testdata/payouts.txt says what it is about.
func TestQuotePayout(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "payouts.txt") {
		q := rate.QuotePayout(dec(row[0]), dec(row[1]), dec(row[2]))
		trader, platform := q.Divide(dec(row[3]))
		for i, got := range []decimal.Decimal{q.Spot, q.Frozen, trader, platform} {
			testenv.Want(t, got.String(), row[4+i], "%s at %s + %s%%, a share of %s%%: part %d", row[0], row[1], row[2], row[3], i)
		}
	}
}

// testdata/arrivals.txt says what it is about.
func TestArrival(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "arrivals.txt") {
		a := rate.Arrival{Asked: dec("1000"), Came: dec(row[1]), AsItCame: row[2] == "as it came", ToPlatform: row[3] == "platform"}
		quote, difference := a.Worth(dec("100"), rate.Terms{Markup: dec("5"), TraderShare: dec("2")})
		got := []string{quote.Amount.String(), quote.SpreadTrader.String(), quote.SpreadPlatform.String(), difference.String()}
		testenv.Want(t, strings.Join(got, " "), row[4], "%s", row[0])
	}
	// 0.01 RUB at 92.51 RUB per USDT is 0.000108096…, rounded towards
	// nothing on either side.
	for came, want := range map[string]string{"999.99": "-0.00010809", "1000.01": "0.00010809"} {
		a := rate.Arrival{Asked: dec("1000"), Came: dec(came), ToPlatform: true}
		_, difference := a.Worth(dec("92.51"), rate.Terms{})
		testenv.Want(t, difference.String(), want, "%s", came)
	}
}
