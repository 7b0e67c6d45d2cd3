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

// AsksDays is of how many days a page shows how something went; 1 is the last 24 hours.
const AsksDays = "days"

// IfSoon is for what a page can do without: nothing where it takes longer than a list may.
func IfSoon[T any](found T, err error) (T, error) {
	if errors.Is(err, fault.ErrBusy) {
		return *new(T), nil
	}
	return found, err
}

// DaysAsked is of how many days the page is asked for. What is not known is taken as not asked for.
func (v *Visit) DaysAsked() int {
	days, err := strconv.Atoi(v.R.URL.Query().Get(AsksDays))
	if err != nil || !slices.Contains(figures.TrendDays, days) {
		return figures.TrendDays[0]
	}
	return days
}

// DayPicks are the times that may be asked for.
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

// ChartSlots are the slots of a chart of so many days, from when each begins.
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

// CountChart draws, of the payments that were created in each slot, those that were paid.
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
