package card_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/card"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// now is in the last second of November 2026.
var now = time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)

// good is a valid card.
func good() card.Entry {
	return card.Entry{PAN: "4242424242424242", ExpMonth: "11", ExpYear: "26", Holder: "ANNA B"}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(e *card.Entry)
		wrong  []string
	}{
		"good":               {func(*card.Entry) {}, nil},
		"spaces":             {func(e *card.Entry) { e.PAN = "4242 4242 4242 4242" }, nil},
		"hyphens":            {func(e *card.Entry) { e.PAN = "4242-4242-4242-4242" }, nil},
		"13 digits":          {func(e *card.Entry) { e.PAN = "4222222222222" }, nil},
		"19 digits":          {func(e *card.Entry) { e.PAN = "6304000000000000000" }, nil},
		"12 digits":          {func(e *card.Entry) { e.PAN = "424242424242" }, []string{"pan"}},
		"20 digits":          {func(e *card.Entry) { e.PAN = "42424242424242424242" }, []string{"pan"}},
		"no Luhn":            {func(e *card.Entry) { e.PAN = "4242424242424241" }, []string{"pan"}},
		"letters":            {func(e *card.Entry) { e.PAN = "4242x24242424242" }, []string{"pan"}},
		"other digits":       {func(e *card.Entry) { e.PAN = "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢" }, []string{"pan"}},
		"no PAN":             {func(e *card.Entry) { e.PAN = "" }, []string{"pan"}},
		"only spaces":        {func(e *card.Entry) { e.PAN = "   " }, []string{"pan"}},
		"one digit month":    {func(e *card.Entry) { e.ExpMonth, e.ExpYear = "1", "27" }, nil},
		"two digit month":    {func(e *card.Entry) { e.ExpMonth, e.ExpYear = "01", "2027" }, nil},
		"three digit month":  {func(e *card.Entry) { e.ExpMonth = "011" }, []string{"expMonth"}},
		"month 0":            {func(e *card.Entry) { e.ExpMonth = "0" }, []string{"expMonth"}},
		"month 13":           {func(e *card.Entry) { e.ExpMonth = "13" }, []string{"expMonth"}},
		"no month":           {func(e *card.Entry) { e.ExpMonth = "" }, []string{"expMonth"}},
		"three digit year":   {func(e *card.Entry) { e.ExpYear = "026" }, []string{"expYear"}},
		"one digit year":     {func(e *card.Entry) { e.ExpYear = "7" }, []string{"expYear"}},
		"year in letters":    {func(e *card.Entry) { e.ExpYear = "ab" }, []string{"expYear"}},
		"no year":            {func(e *card.Entry) { e.ExpYear = "" }, []string{"expYear"}},
		"expired last month": {func(e *card.Entry) { e.ExpMonth = "10" }, []string{"expMonth", "expYear"}},
		"expired last year":  {func(e *card.Entry) { e.ExpMonth, e.ExpYear = "12", "2025" }, []string{"expMonth", "expYear"}},
		"no holder":          {func(e *card.Entry) { e.Holder = "" }, nil},
		"64 characters":      {func(e *card.Entry) { e.Holder = strings.Repeat("Ə", 64) }, nil},
		"65 characters":      {func(e *card.Entry) { e.Holder = strings.Repeat("A", 65) }, []string{"cardHolder"}},
		"a number as holder": {func(e *card.Entry) { e.Holder = "4242 4242 4242 4242" }, []string{"cardHolder"}},
		"a number beside it": {func(e *card.Entry) { e.Holder = "ANNA 4222-2222-2222-2" }, []string{"cardHolder"}},
		"a number in a name": {func(e *card.Entry) { e.Holder = "ANNA B 123456789012" }, nil},
		"two lines":          {func(e *card.Entry) { e.Holder = "A\nB" }, []string{"cardHolder"}},
		"all wrong":          {func(e *card.Entry) { *e = card.Entry{PAN: "1", ExpMonth: "x", ExpYear: "y", Holder: "\t\x01"} }, []string{"cardHolder", "expMonth", "expYear", "pan"}},
	} {
		entry, f := good(), fault.Fields{}
		test.change(&entry)
		card.Parse(f, entry, now)
		testenv.Check(t, slices.Equal(slices.Sorted(maps.Keys(f)), test.wrong),
			"%s: wrong are %v, want %v", name, f, test.wrong)
		testenv.Check(t, entry.PAN == "" || len(entry.PAN) <= 8 || !strings.Contains(fmt.Sprint(f), entry.PAN),
			"%s: the number is quoted", name)
	}
	c := card.Parse(fault.Fields{}, good(), now)
	testenv.Check(t, c.PAN.Digits() == "4242424242424242" && c.PAN.Last4() == "4242" && c.Expiry.Month() == 11 &&
		c.Expiry.Year() == 2026 && *c.Holder == "ANNA B", "%+v", c)
}

func TestBrands(t *testing.T) {
	t.Parallel()
	for pan, want := range map[string]string{
		"4242424242424242": "visa", "5555555555554444": "mastercard", "2223003122003222": "mastercard", "378282246310005": "amex",
		"2200000000000004": "mir", "6200000000000005": "unionpay", "6304000000000000": "maestro", "3530111333300000": "jcb", "9000000000000001": "card",
		"9792000000000003": "troy", "8600000000000007": "uzcard", "5614000000000007": "uzcard", "9860000000000000": "humo",
	} {
		f := fault.Fields{}
		c := card.Parse(f, card.Entry{PAN: pan, ExpMonth: "1", ExpYear: "30"}, now)
		testenv.Check(t, len(f) == 0 && c.PAN.Brand() == want, "%s: %s %v, want %s", pan, c.PAN.Brand(), f, want)
	}
}

// Whatever prints a card, or something around it, the number does not show.
func TestPANHides(t *testing.T) {
	t.Parallel()
	c := card.Parse(fault.Fields{}, good(), now)
	inside := struct {
		hidden  card.PAN
		Visible card.Card
	}{c.PAN, c}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "pan", c.PAN, "card", c, "inside", inside)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "pan", c.PAN, "card", c, "inside", inside)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		_, _ = fmt.Fprintf(&logged, verb+verb+verb, c.PAN, c, inside)
	}
	encoded := testenv.Must(json.Marshal(c))(t)
	all := logged.String() + string(encoded)
	for _, digits := range []string{"424242", "34323432"} {
		testenv.Check(t, !strings.Contains(all, digits), "%s shows in %s", digits, all)
	}
	testenv.Check(t, fmt.Sprint(c.PAN) == "•••• 4242", "%v", c.PAN)
}

func FuzzParse(f *testing.F) {
	f.Add("4242 4242-42424242", "1", "30", "A")
	f.Fuzz(func(t *testing.T, pan, month, year, holder string) {
		wrong := fault.Fields{}
		c := card.Parse(wrong, card.Entry{PAN: pan, ExpMonth: month, ExpYear: year, Holder: holder}, now)
		if len(wrong) > 0 {
			return
		}
		n := len(c.PAN.Digits())
		testenv.Check(t, n >= 13 && n <= 19 && c.Expiry.Month() >= 1 && c.Expiry.Month() <= 12 &&
			!c.Expiry.Before(now), "%q %q %q was taken: %v", pan, month, year, c)
	})
}
