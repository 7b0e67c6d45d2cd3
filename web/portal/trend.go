package portal

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/fault"
	"gateway.example/internal/figures"
	"gateway.example/web/chart"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// AsksDays is how many days a trend covers; 1 is the last 24 hours.
const AsksDays = "days"

// IfSoon is for a part of a page that may be missing: it turns the error that
// the database is too busy into an empty result.
func IfSoon[T any](found T, err error) (T, error) {
	if errors.Is(err, fault.ErrBusy) {
		return *new(T), nil
	}
	return found, err
}

// DaysAsked is how many days the page is asked for. An unknown number counts as
// none.
func (v *Visit) DaysAsked() int {
	days, err := strconv.Atoi(v.R.URL.Query().Get(AsksDays))
	if err != nil || !slices.Contains(figures.TrendDays, days) {
		return figures.TrendDays[0]
	}
	return days
}

// DayPicks are the periods that can be chosen.
func (v *Visit) DayPicks(now int, link func(days string) view.Link) []view.Pick {
	var picks []view.Pick
	for _, days := range figures.TrendDays {
		text := v.Say(say.NumberOfDays, days)
		if days == 1 {
			text = v.Say(say.Last24Hours)
		}
		picks = append(picks, view.Pick{Text: text, Href: link(strconv.Itoa(days)), Current: days == now})
	}
	return picks
}

// ChartSlots are the slots of a chart over some days. starts has the beginning
// of each.
func (v *Visit) ChartSlots(starts []time.Time, days int) []chart.Slot {
	var slots []chart.Slot
	for i, at := range starts {
		slot := chart.Slot{Name: v.Shell.Day(at)}
		hour := at.In(v.Shell.Zone).Hour()
		switch {
		case days == 1:
			slot.Name = v.When(at)
			if i%3 == 0 {
				slot.Tick = v.Shell.Clock(at)
			}
		case days == 7:
			slot.Name = v.When(at) + "–" + v.Shell.Clock(at.Add(6*time.Hour))
			if hour == 0 {
				slot.Tick = v.Shell.Day(at)
			}
		case i%(days/6) == 0:
			slot.Tick = v.Shell.Day(at)
		}
		slots = append(slots, slot)
	}
	return slots
}

// CountChart shows how many of the payments created in each slot were paid.
func (v *Visit) CountChart(title say.Phrase, list []figures.HourFigures, days int) chart.Chart {
	starts := make([]time.Time, len(list))
	created, paid := make([]*decimal.Decimal, len(list)), make([]*decimal.Decimal, len(list))
	for i, one := range list {
		starts[i] = one.At
		created[i] = new(decimal.NewFromInt(one.Payments))
		paid[i] = new(decimal.NewFromInt(one.Completed))
	}
	return chart.Chart{
		Title: v.Say(title), Kind: chart.Bars, Whole: true, Slots: v.ChartSlots(starts, days),
		Series: []chart.Series{
			{Name: v.Say(say.CreatedOnes), Values: created}, {Name: v.Say(say.PaidOnes), Values: paid},
		},
		Write: v.Number, Slot: v.Say(say.SlotLabel), Numbers: v.Say(say.ShowNumbers),
	}
}
