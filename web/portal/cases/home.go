package cases

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/alarm"
	"gateway.example/internal/books"
	"gateway.example/internal/figures"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// incomeDays is for how many days the first page shows the income.
const incomeDays = 14

// home shows the state of the platform: the last 24 hours compared with those
// before, and the income of the last days.
func (v *visit) home() (*Home, error) {
	trend, err := v.Figures.Trend(v.Ctx(), v.Who, figures.TrendFilter{Days: 1, Zone: v.Shell.Zone})
	if err != nil {
		return nil, err
	}
	// Past days are stored. The income of today would have to be added up
	// from all its movements.
	to := v.Shell.Now.UTC().Truncate(24 * time.Hour)
	from := to.AddDate(0, 0, -incomeDays)
	income, err := v.Books.Income(v.Ctx(), v.Who, books.IncomeFilter{From: from, To: to})
	if err != nil {
		return nil, err
	}
	firing, err := v.Alarms.Firing(v.Ctx(), v.Who)
	if err != nil {
		return nil, err
	}
	home := &Home{
		Paid: v.CountChart(say.ChartPaid, trend.Slots, 1), Income: v.IncomeChart(income, "method", from, to),
		AnyPaid: trend.Now.Payments > 0, AnyIncome: len(income) > 0,
	}
	home.Figures = []view.OverviewFigure{
		v.homePaid(trend), v.homeVolume(trend), v.homeIncome(income, to), v.homeAlarms(firing),
	}
	return home, nil
}

func (v *visit) homePaid(t figures.Trend) view.OverviewFigure {
	figure := view.OverviewFigure{Label: v.Say(sayPaidLately), Now: "–", By: v.Points(t.Now.Success(), t.Before.Success())}
	if success := t.Now.Success(); success != nil {
		figure.Now = v.Shell.Percent(*success) + "\u00a0%"
	}
	number := func(n int64) string { return v.Number(decimal.NewFromInt(n)) }
	figure.Before = v.Say(sayPaidOf, number(t.Now.Completed), number(t.Now.Payments))
	figure.Href = portal.PaymentsPath
	return figure
}

// homeVolume is the completed volume in the currency that is used most, with
// those of the others below.
func (v *visit) homeVolume(t figures.Trend) view.OverviewFigure {
	figure := view.OverviewFigure{Label: v.Say(sayVolumeLately), Now: "–"}
	var others []string
	for i, volume := range t.Volumes {
		if text := v.Amount(volume.Amount, volume.Currency); i == 0 {
			figure.Now = text
		} else {
			others = append(others, text)
		}
	}
	figure.Before = strings.Join(others, " · ")
	return figure
}

// homeIncome is the income of yesterday, a UTC day, compared with the day
// before.
func (v *visit) homeIncome(list []books.Income, to time.Time) view.OverviewFigure {
	yesterday, before := decimal.Zero, decimal.Zero
	for _, i := range list {
		switch {
		case !i.Day.Before(to.AddDate(0, 0, -1)):
			yesterday = yesterday.Add(i.Net())
		case !i.Day.Before(to.AddDate(0, 0, -2)):
			before = before.Add(i.Net())
		}
	}
	figure := v.Shell.Rounded(v.Say(sayIncomeYesterday), yesterday)
	figure.Before, figure.Href = v.Say(sayIncomeBefore, v.Shell.Short(before)), portal.IncomePath
	return figure
}

func (v *visit) homeAlarms(firing int) view.OverviewFigure {
	figure := view.OverviewFigure{
		Label: v.Say(say.AlarmsTitle), Now: v.Number(decimal.NewFromInt(int64(firing))), Href: portal.AlarmsPath,
		Before: v.Say(sayAlarmsNone),
	}
	if firing > 0 {
		figure.By, figure.Before = view.Delta{Text: "● " + v.Say(sayAlarmsFire), Tone: "bad"}, v.Say(sayOfAlarms, len(alarm.Rules))
	}
	return figure
}
