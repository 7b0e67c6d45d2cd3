package desk

import (
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/figures"
	"gateway.example/web/chart"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const earningsPath = "/trader/earnings"

// What a trader earns, and how fast they are.
var earningsRoutes = []route{
	{Pattern: "GET " + earningsPath, Needs: caller.TraderMoney, Handle: (*visit).earnings},
}

// earned is what the trader earned today, in seven days and in thirty. It is
// not part of the region that is read again, because it reads thirty days.
func (v *visit) earned() ([]view.OverviewFigure, error) {
	if !v.Who.May(caller.TraderMoney) {
		return nil, nil
	}
	_, days, err := v.Figures.Earned(v.Ctx(), v.Who, 30, v.Shell.Zone)
	if err != nil {
		return nil, err
	}
	var figures []view.OverviewFigure
	var went []*decimal.Decimal
	sum, count, next := decimal.Zero, int64(0), 0
	for i := range days {
		day := days[len(days)-1-i]
		went = append([]*decimal.Decimal{&day.USDT}, went...)
		sum, count = sum.Add(day.USDT), count+day.Count
		if i+1 == earnedIn[next].days {
			figure := v.Shell.Rounded(v.Say(earnedIn[next].label), sum)
			figure.Unit, figure.Before = "", v.Say(sayCompleted, count)
			figures, next = append(figures, figure), next+1
		}
	}
	if count > 0 {
		figures[len(figures)-1].Spark = chart.Spark{Title: v.Say(sayEarnedByDay), Values: went}
	}
	return figures, nil
}

// earnings shows what the trader earned in the days that the address asks for,
// or in thirty, and how fast they confirmed. Payouts count as earned, but only
// payments have a speed, so that there may be none.
func (v *visit) earnings() error {
	days := v.DaysAsked()
	if v.R.URL.Query().Get(portal.AsksDays) == "" {
		days = 30
	}
	all, slots, err := v.Figures.Earned(v.Ctx(), v.Who, days, v.Shell.Zone)
	if err != nil {
		return err
	}
	shown := Earnings{
		Days: v.DayPicks(days, func(days string) view.Link { return view.Query(earningsPath, portal.AsksDays, days) }),
		Any:  all.Count > 0,
		Answer: []view.OverviewFigure{
			v.Shell.Rounded(v.Say(sayEarnedInAll), all.USDT),
			{Label: v.Say(say.CompletedOnes), Now: v.Number(decimal.NewFromInt(all.Count))},
			{Label: v.Say(saySpeed), Now: "–"},
		},
	}
	if all.Payments > 0 {
		shown.Answer[2].Now = v.Lasting(all.Median)
	}
	shown.Earned, shown.Speed = v.earningsCharts(slots, days)
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayEarnings), EarningsPage, shown)
}

// earningsCharts draw what was earned in each slot, and how fast payments were
// confirmed.
func (v *visit) earningsCharts(slots []figures.Earned, days int) (earned, speed chart.Chart) {
	var starts []time.Time
	var usdt, minutes []*decimal.Decimal
	for _, slot := range slots {
		starts, usdt = append(starts, slot.At), append(usdt, &slot.USDT)
		var median *decimal.Decimal
		if slot.Payments > 0 {
			median = new(decimal.NewFromFloat(slot.Median.Minutes()))
		}
		minutes = append(minutes, median)
	}
	earned = chart.Chart{
		Title: v.Say(sayEarnedByDay), Kind: chart.Bars, Slots: v.ChartSlots(starts, days),
		Series: []chart.Series{{Values: usdt}}, Write: v.USDT, Axis: v.Shell.Plain,
		Slot: v.Say(say.SlotLabel), Numbers: v.Say(say.ShowNumbers),
	}
	speed = earned
	speed.Title, speed.Kind, speed.Series = v.Say(saySpeed), chart.Area, []chart.Series{{Values: minutes}}
	speed.Write = func(d decimal.Decimal) string {
		return v.Lasting(time.Duration(d.InexactFloat64() * float64(time.Minute)).Round(time.Second))
	}
	speed.Axis = func(d decimal.Decimal) string { return v.Say(sayMinutes, d) }
	return earned, speed
}
