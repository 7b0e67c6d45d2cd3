package portal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// rateCharts draw what feeds brought in a day, a chart for each currency.
func (v *visit) rateCharts(observed []rate.Observation) []view.RateChart {
	var charts []view.RateChart
	for len(observed) > 0 {
		end := slices.IndexFunc(observed, func(o rate.Observation) bool { return o.Currency != observed[0].Currency })
		if end < 0 {
			end = len(observed)
		}
		charts = append(charts, v.rateChart(observed[:end]))
		observed = observed[end:]
	}
	return charts
}

func (v *visit) rateChart(observed []rate.Observation) view.RateChart {
	lowest, most := observed[0].FiatPerUSDT, observed[0].FiatPerUSDT
	for _, o := range observed {
		lowest, most = decimal.Min(lowest, o.FiatPerUSDT), decimal.Max(most, o.FiatPerUSDT)
	}
	chart := view.RateChart{
		Title: v.shell.Say(say.DayOf, "USDT/"+observed[0].Currency), Label: v.shell.Say(say.FromTo),
		Lowest: money.Rate(lowest), Most: money.Rate(most),
		Sheet: view.Sheet{
			Label:   v.shell.Say(say.DayOf, "USDT/"+observed[0].Currency),
			Columns: v.columns(true, say.FeedOne, say.Hour, say.FirstValue, say.Lowest, say.Highest, say.LastValue),
		},
	}
	classes := []string{"first", "second", "third"}
	for len(observed) > 0 {
		end := slices.IndexFunc(observed, func(o rate.Observation) bool { return o.FeedID != observed[0].FeedID })
		if end < 0 {
			end = len(observed)
		}
		chart.Lines = append(chart.Lines, view.RateLine{
			Class: classes[len(chart.Lines)%len(classes)], Points: v.ratePoints(observed[:end], lowest, most),
		})
		chart.Sheet.Rows = append(chart.Sheet.Rows, v.rateHours(observed[:end])...)
		observed = observed[end:]
	}
	return chart
}

// minutesOfDay is the width of a chart, whose height is 100.
const minutesOfDay = 24 * 60

func (v *visit) ratePoints(observed []rate.Observation, lowest, most decimal.Decimal) string {
	since := v.shell.Now.Add(-24 * time.Hour)
	span := most.Sub(lowest).InexactFloat64()
	var points []string
	for _, o := range observed {
		y := 50.0
		if span > 0 {
			y = 96 - 92*o.FiatPerUSDT.Sub(lowest).InexactFloat64()/span
		}
		points = append(points, fmt.Sprintf("%.0f,%.1f", o.Minute.Sub(since).Minutes(), y))
	}
	if len(points) == 1 { // a line has two ends
		points = append(points, fmt.Sprintf("%d,%s", minutesOfDay, strings.SplitN(points[0], ",", 2)[1]))
	}
	return strings.Join(points, " ")
}

// rateHours are the hours of a feed's day, the newest first.
func (v *visit) rateHours(observed []rate.Observation) [][]view.Cell {
	var rows [][]view.Cell
	for len(observed) > 0 {
		hour := observed[0].Minute.Truncate(time.Hour)
		end := slices.IndexFunc(
			observed,
			func(o rate.Observation) bool { return !o.Minute.Truncate(time.Hour).Equal(hour) },
		)
		if end < 0 {
			end = len(observed)
		}
		low, high := observed[0].FiatPerUSDT, observed[0].FiatPerUSDT
		for _, o := range observed[:end] {
			low, high = decimal.Min(low, o.FiatPerUSDT), decimal.Max(high, o.FiatPerUSDT)
		}
		rows = append(rows, []view.Cell{
			{Text: v.shell.Say(say.FeedNumber, strconv.FormatInt(observed[0].FeedID, 10))}, {At: &hour},
			{Text: money.Rate(observed[0].FiatPerUSDT)}, {Text: money.Rate(low)}, {Text: money.Rate(high)},
			{Text: money.Rate(observed[end-1].FiatPerUSDT)},
		})
		observed = observed[end:]
	}
	slices.Reverse(rows)
	return rows
}
