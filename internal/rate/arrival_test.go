package rate_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

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
