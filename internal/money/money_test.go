package money_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/money"
	"gateway.example/internal/testenv"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const fiat, usdt = money.FiatDecimals, money.USDTDecimals
	cases := map[string]struct {
		literal  string
		decimals int
		want     string // compared digit for digit
		err      error
	}{
		"whole":                 {"1000", fiat, "1000", nil},
		"one decimal":           {"10.5", fiat, "10.5", nil},
		"two decimals":          {"0.01", fiat, "0.01", nil},
		"three decimals":        {"0.001", fiat, "", money.ErrPrecision},
		"three, the last zero":  {"1.000", fiat, "", money.ErrPrecision},
		"eight decimals":        {"0.00000001", usdt, "0.00000001", nil},
		"nine decimals":         {"0.000000001", usdt, "", money.ErrPrecision},
		"a decimal where none":  {"1.0", 0, "", money.ErrPrecision},
		"12 integer digits":     {"999999999999", fiat, "999999999999", nil},
		"12 and two decimals":   {"999999999999.99", fiat, "999999999999.99", nil},
		"12 and eight decimals": {"999999999999.99999999", usdt, "999999999999.99999999", nil},
		"13 integer digits":     {"1000000000000", fiat, "", money.ErrTooLarge},
		"13 digits, all zero":   {"0000000000000", fiat, "", money.ErrTooLarge},
		// 0.1 and 0.3 have no float: the literal's digits count.
		"no float rounding": {"0.30000000", usdt, "0.3", nil},
		"zero":              {"0", fiat, "0", nil},
		"two zeros":         {"00", fiat, "0", nil},
		"zero with point":   {"0.00", fiat, "0", nil},
		"empty":             {"", fiat, "", money.ErrNotPlain},
		"point at the end":  {"1.", fiat, "", money.ErrNotPlain},
		"point first":       {".5", fiat, "", money.ErrNotPlain},
		"point alone":       {".", fiat, "", money.ErrNotPlain},
		"two points":        {"1.2.3", fiat, "", money.ErrNotPlain},
		"plus":              {"+1", fiat, "", money.ErrNotPlain},
		"minus":             {"-1", fiat, "", money.ErrNotPlain},
		"minus zero":        {"-0", fiat, "", money.ErrNotPlain},
		"minus in fraction": {"1.-5", fiat, "", money.ErrNotPlain},
		"exponent":          {"1e3", fiat, "", money.ErrNotPlain},
		"exponent upper":    {"1E3", fiat, "", money.ErrNotPlain},
		"exponent fraction": {"1.5e3", usdt, "", money.ErrNotPlain},
		"NaN":               {"NaN", fiat, "", money.ErrNotPlain},
		"Infinity":          {"Infinity", fiat, "", money.ErrNotPlain},
		"Inf":               {"Inf", fiat, "", money.ErrNotPlain},
		"space before":      {" 1", fiat, "", money.ErrNotPlain},
		"space after":       {"1 ", fiat, "", money.ErrNotPlain},
		"line end":          {"1\n", fiat, "", money.ErrNotPlain},
		"NUL":               {"1\x00", fiat, "", money.ErrNotPlain},
		"comma":             {"1,5", fiat, "", money.ErrNotPlain},
		"thousands":         {"1,000", fiat, "", money.ErrNotPlain},
		"underscore":        {"1_000", fiat, "", money.ErrNotPlain},
		"hex":               {"0x10", fiat, "", money.ErrNotPlain},
		"Arabic digits":     {"١٢", fiat, "", money.ErrNotPlain},
		"full-width digits": {"１", fiat, "", money.ErrNotPlain},
		"invalid UTF-8":     {"1\xff", fiat, "", money.ErrNotPlain},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := money.Parse(c.literal, c.decimals)
			testenv.Need(t, errors.Is(err, c.err), "error %v, want %v", err, c.err)
			testenv.Need(t, err != nil || got.String() == c.want, "%s, want %s", got, c.want)
		})
	}
}

// What is to be paid is never less than one unit of the currency.
func TestParseFiat(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]error{
		"1": nil, "1.00": nil, "1000.5": nil, "0.99": money.ErrTooSmall, "0": money.ErrTooSmall,
		"1.001": money.ErrPrecision, "-1": money.ErrNotPlain,
	} {
		_, err := money.ParseFiat(literal)
		testenv.Check(t, errors.Is(err, want), "%s: %v, want %v", literal, err, want)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ got, want string }{
		"fiat whole":          {money.Fiat(dec("1000")), "1000.00"},
		"fiat one decimal":    {money.Fiat(dec("10.5")), "10.50"},
		"fiat zero":           {money.Fiat(dec("0")), "0.00"},
		"fiat huge":           {money.Fiat(dec("999999999999.99")), "999999999999.99"},
		"usdt whole":          {money.USDT(dec("10")), "10.00000000"},
		"usdt least":          {money.USDT(dec("0.00000001")), "0.00000001"},
		"usdt negative":       {money.USDT(dec("-1.5")), "-1.50000000"},
		"usdt huge":           {money.USDT(dec("99999999999999999999.99999999")), "99999999999999999999.99999999"},
		"rate whole":          {money.Rate(dec("100")), "100.00"},
		"rate zeros kept":     {money.Rate(dec("5000")), "5000.00"},
		"rate one decimal":    {money.Rate(dec("92.5")), "92.50"},
		"rate two decimals":   {money.Rate(dec("92.35")), "92.35"},
		"rate trailing zeros": {money.Rate(dec("92.35000000")), "92.35"},
		"rate three decimals": {money.Rate(dec("92.355")), "92.355"},
		"rate eight decimals": {money.Rate(dec("0.00000001")), "0.00000001"},
		"plain whole":         {money.Plain(dec("5.0000")), "5"},
		"plain fraction":      {money.Plain(dec("6.5000")), "6.5"},
		"plain hundred":       {money.Plain(dec("100")), "100"},
		"plain zero":          {money.Plain(dec("0.0000")), "0"},
	}
	for name, c := range cases {
		testenv.Check(t, c.got == c.want, "%s: %s, want %s", name, c.got, c.want)
	}
}

// FuzzParse holds every accepted literal against math/big, which knows nothing
// of our rules: the value is exactly the literal's, and writing it at full
// precision gives its digits back.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0", "00.10", "999999999999.99", "1e3", "-1", ".5", "1.", "٣", "NaN", "", "1.00000001"} {
		f.Add(seed, uint8(money.FiatDecimals))
		f.Add(seed, uint8(money.USDTDecimals))
	}
	f.Fuzz(func(t *testing.T, literal string, decimals uint8) {
		limit := int(decimals % 12)
		got, err := money.Parse(literal, limit)
		if err != nil {
			testenv.Need(t, got.IsZero(), "%q: %s beside error %v", literal, got, err)
			return
		}
		exact, ok := new(big.Rat).SetString(literal)
		testenv.Need(t, ok && exact.Cmp(got.Rat()) == 0, "%q was read as %s", literal, got)
		integer, fraction, _ := strings.Cut(literal, ".")
		written := strings.TrimLeft(integer, "0") + "." + fraction
		shown := got.StringFixed(int32(len(fraction)))
		if len(fraction) == 0 {
			shown += "."
		}
		testenv.Need(t, strings.TrimPrefix(shown, "0") == written, "%q is shown as %s", literal, shown)
	})
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// Amounts are written as the library would, however long they are and whatever
// their exponent.
func TestFixed(t *testing.T) {
	t.Parallel()
	coefficients := []string{
		"0", "1", "5", "10", "99", "100", "123456789", "999999999999999999", "1000000000000000000",
		"9223372036854775807", "9223372036854775808", "123456789012345678901234567890",
	}
	for _, digits := range coefficients {
		for exponent := int32(-20); exponent <= 20; exponent++ {
			for _, sign := range []string{"", "-"} {
				coefficient, _ := new(big.Int).SetString(sign+digits, 10)
				d := decimal.NewFromBigInt(coefficient, exponent)
				if got, want := money.Fiat(d), d.StringFixed(2); got != want {
					t.Errorf("%se%d as fiat: %s, want %s", coefficient, exponent, got, want)
				}
				if got, want := money.USDT(d), d.StringFixed(8); got != want {
					t.Errorf("%se%d as USDT: %s, want %s", coefficient, exponent, got, want)
				}
			}
		}
	}
}
