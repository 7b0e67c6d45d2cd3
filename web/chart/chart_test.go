package chart_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"gateway.example/internal/testenv"
	"gateway.example/web/chart"
)

var update = flag.Bool("update", false, "write the golden files anew")

// values reads numbers; - is none.
func values(text string) []*decimal.Decimal {
	var list []*decimal.Decimal
	for _, one := range strings.Fields(text) {
		if one == "-" {
			list = append(list, nil)
			continue
		}
		value := decimal.RequireFromString(one)
		list = append(list, &value)
	}
	return list
}

// of is a chart of four hours, whose texts could be a stranger's.
func of(kind chart.Kind, series ...string) chart.Chart {
	c := chart.Chart{
		Title: `Paid <&"`, Kind: kind, Whole: kind != chart.Lines, Slot: "Hour", Numbers: "Numbers",
		Write: func(d decimal.Decimal) string { return d.StringFixed(2) + " ₽" },
		Axis:  decimal.Decimal.String,
		Slots: []chart.Slot{
			{Name: "3 Nov, 10:00", Tick: "10:00", Href: "/list?a=1&b=2"}, {Name: "3 Nov, 11:00"},
			{Name: "3 Nov, 12:00", Tick: "12:00"}, {Name: "3 Nov, 13:00"},
		},
	}
	for i, one := range series {
		c.Series = append(c.Series, chart.Series{Name: []string{"Created", "<i>Paid"}[i], Values: values(one)})
	}
	return c
}

// What is drawn stays as it is.
func TestGolden(t *testing.T) {
	t.Parallel()
	banded := of(chart.Lines, "81.2 81.4 - 80.9", "- - 81 -")
	banded.Bands = []chart.Band{
		{Name: "±3 %", Low: decimal.RequireFromString("78.9"), High: decimal.RequireFromString("83.5")},
	}
	for name, drawn := range map[string]templ.Component{
		"bars":    of(chart.Bars, "4 0 126 5", "3 0 113 5"),
		"stacked": of(chart.Stacked, "4 - 26 5", "3 -2 11 5"),
		"lines":   banded,
		"area":    of(chart.Area, "0 3 2 1"),
		"nothing": of(chart.Bars, "0 0 0 0"),
		"spark":   chart.Spark{Title: "Seven <days", Values: values("1 2 - 4 3")},
		"ranks": chart.Ranks{
			{Label: "Created", Text: "126", Value: 1},
			{Label: "Paid <b>", Text: "113", Note: "89.7 %", Href: "/p?a=1&b=2", Value: 0.897, Tone: "bad"},
		},
	} {
		var b strings.Builder
		testenv.NoError(t, drawn.Render(t.Context(), &b))
		got := strings.ReplaceAll(b.String(), "><", ">\n<") + "\n"
		file := filepath.Join("testdata", name+".html")
		if *update {
			testenv.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// A scale has two to four lines at round numbers, and every value is between
// the first and the last.
func TestScale(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0 0": "0 1", "1 2": "0 1 2", "0 3": "0 1 2 3", "4 126": "0 50 100 150", "0 100": "0 50 100",
		"7 31": "0 20 40", "0.2 0.7": "0 1", "-4 10": "-5 0 5 10", "1234567 3": "0 500000 1000000 1500000",
	} {
		wantScale(t, of(chart.Bars, text+" - -"), text, want)
	}
	loss := of(chart.Stacked, "6 - - -", "5 - - -")
	loss.Series = append(loss.Series, chart.Series{Name: "Lost", Values: values("-2 - - -")})
	wantScale(t, loss, "a loss on top of gains", "0 5 10 15")
	for text, want := range map[string]string{
		"80.9 81.4": "80.8 81 81.2 81.4", "5 5": "4.95 5 5.05", "0.00000003 0.00000003": "0.00000002 0.00000003 0.00000004",
	} {
		wantScale(t, of(chart.Lines, text+" - -"), text, want)
	}
}

func wantScale(t *testing.T, c chart.Chart, text, want string) {
	t.Helper()
	var b strings.Builder
	testenv.NoError(t, c.Render(t.Context(), &b))
	_, scale, _ := strings.Cut(b.String(), `<div class="scale" aria-hidden="true">`)
	scale, _, _ = strings.Cut(scale, "</div>")
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(scale, "<span>", ""), "</span>"), "</span>")
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	testenv.Want(t, strings.Join(lines, " "), want, "%s", text)
}
