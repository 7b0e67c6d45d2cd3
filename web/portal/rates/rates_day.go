package rates

import (
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/rate"
	"gateway.example/web/chart"
	"gateway.example/web/portal/say"
)

// A chart of a day has slots of a quarter of an hour, and shows the last value
// of each feed in a slot.
const (
	dayShown = 24 * time.Hour
	slotWide = 15 * time.Minute
)

// rateCharts draw the values of feeds over a day, one chart for each currency.
func (v *visit) rateCharts(observed []rate.Observation, known []rate.Known, bands []rate.Band) []chart.Chart {
	var charts []chart.Chart
	for _, of := range bands {
		var own []rate.Observation
		for _, o := range observed {
			if o.Currency == of.Currency {
				own = append(own, o)
			}
		}
		if len(own) == 0 {
			continue
		}
		c := v.rateChart(of.Currency, own)
		at := slices.IndexFunc(known, func(k rate.Known) bool { return k.Currency == of.Currency && k.InUse })
		if at >= 0 {
			away := known[at].FiatPerUSDT.Mul(of.Percent).Shift(-2)
			low, high := known[at].FiatPerUSDT.Sub(away), known[at].FiatPerUSDT.Add(away)
			c.Bands = []chart.Band{{
				Name: v.Say(sayBandAround, v.Shell.Plain(of.Percent), v.Shell.Rate(low), v.Shell.Rate(high)), Low: low, High: high,
			}}
		}
		charts = append(charts, c)
	}
	return charts
}

// rateChart draws a line for each feed.
func (v *visit) rateChart(currency string, observed []rate.Observation) chart.Chart {
	since := v.Shell.Now.Add(-dayShown).Truncate(slotWide)
	c := chart.Chart{
		Title: v.Say(sayDayOf, "USDT/"+currency), Kind: chart.Lines, Write: v.Shell.Rate, Axis: v.Shell.Plain,
		Slot: v.Say(say.SlotLabel), Numbers: v.Say(say.ShowNumbers),
	}
	for at := since; !at.After(v.Shell.Now); at = at.Add(slotWide) {
		slot := chart.Slot{Name: v.When(at)}
		if local := at.In(v.Shell.Zone); local.Minute() == 0 && local.Hour()%3 == 0 {
			slot.Tick = v.Shell.Clock(at)
		}
		c.Slots = append(c.Slots, slot)
	}
	lines := map[int64]int{}
	for _, o := range observed {
		line, known := lines[o.FeedID]
		if !known {
			line = len(c.Series)
			lines[o.FeedID] = line
			c.Series = append(c.Series, chart.Series{
				Name: v.Say(say.FeedNumber, strconv.FormatInt(o.FeedID, 10)), Values: make([]*decimal.Decimal, len(c.Slots)),
			})
		}
		if at := int(o.Minute.Sub(since) / slotWide); at >= 0 && at < len(c.Slots) {
			c.Series[line].Values[at] = &o.FiatPerUSDT
		}
	}
	return c
}
