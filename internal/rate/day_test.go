package rate_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

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
