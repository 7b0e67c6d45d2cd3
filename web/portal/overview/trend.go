package overview

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/figures"
	"gateway.example/web/chart"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// asked reads the filter of a trend. Unknown values count as none.
func (v *visit) asked() figures.TrendFilter {
	query := v.R.URL.Query()
	f := figures.TrendFilter{
		Days: v.DaysAsked(), Zone: v.Shell.Zone, Currency: query.Get(portal.AsksCurrency), Method: query.Get(portal.AsksMethod),
	}
	return f
}

// picks are the times, currencies and methods that may be chosen.
func (v *visit) picks(t figures.Trend, f figures.TrendFilter) (picks [][]view.Pick) {
	link := func(name, value string) view.Link {
		query := url.Values{}
		for key, now := range map[string]string{
			portal.AsksDays: strconv.Itoa(f.Days), portal.AsksCurrency: f.Currency, portal.AsksMethod: f.Method, name: value,
		} {
			if now != "" {
				query.Set(key, now)
			}
		}
		if name == portal.AsksCurrency {
			query.Del(portal.AsksMethod)
		}
		return portal.Listed("/merchant", query.Encode())
	}
	picks = append(picks, v.DayPicks(f.Days, func(days string) view.Link { return link(portal.AsksDays, days) }))
	var list []view.Pick
	if len(t.Currencies) > 1 {
		for _, one := range t.Currencies {
			list = append(list, view.Pick{Text: one, Href: link(portal.AsksCurrency, one), Current: one == t.Currency})
		}
		picks = append(picks, list)
	}
	if len(t.Methods) > 1 || f.Method != "" {
		list = []view.Pick{{Text: v.Say(sayAllMethods), Href: link(portal.AsksMethod, ""), Current: f.Method == ""}}
		for _, m := range t.Methods {
			list = append(list, view.Pick{
				Text: v.MethodName(m.Method), Href: link(portal.AsksMethod, m.Method), Current: m.Method == f.Method,
			})
		}
		picks = append(picks, list)
	}
	return picks
}

// listed links to the payments of a trend with one of these statuses; there is
// no link for hours, because lists are by days.
func (v *visit) listed(t figures.Trend, f figures.TrendFilter, statuses ...string) view.Link {
	if f.Days == 1 {
		return ""
	}
	return v.listedOf(t.Currency, f.Method, t.From, t.At, statuses...)
}

// listedOf links to the merchant's payments of some days, in a currency and
// maybe by a method. Lists are by whole days of the reader's zone, so the days
// of from and to are listed whole.
func (v *visit) listedOf(currency, method string, from, to time.Time, statuses ...string) view.Link {
	day := func(at time.Time) string { return at.In(v.Shell.Zone).Format(time.DateOnly) }
	query := url.Values{
		portal.AsksFrom: {day(from)}, portal.AsksTo: {day(to)}, portal.AsksCurrency: {currency},
	}
	if method != "" {
		query.Set(portal.AsksMethod, method)
	}
	if len(statuses) > 0 {
		query[portal.AsksStatus] = statuses
	}
	return portal.Listed(portal.OwnPaymentsPath, query.Encode())
}

// answer shows the results in figures, each next to its earlier value.
func (v *visit) answer(t figures.Trend, f figures.TrendFilter) []view.OverviewFigure {
	now, before := t.Now, t.Before
	figures := []view.OverviewFigure{{
		Label: v.Say(say.PaidRate), Now: v.success(now), By: v.Points(now.Success(), before.Success()),
		Before: v.was(v.success(before)), Href: v.listed(t, f, "completed", "failed", "cancelled"),
	}}
	if v.May(caller.MerchantMoney) {
		figures = append(figures, view.OverviewFigure{
			Label: v.Say(sayVolume), Now: v.sum(now, t.Currency), By: v.Grown(sumOf(now), sumOf(before)),
			Before: v.was(v.sum(before, t.Currency)), Href: v.listed(t, f, "completed"),
		})
	}
	return append(figures, view.OverviewFigure{
		Label: v.Say(sayTimeToPay), Now: v.median(now), By: v.Sooner(now.Median(), before.Median()),
		Before: v.was(v.median(before)),
	}, view.OverviewFigure{
		Label: v.Say(sayPaymentsMade), Now: v.count(now.Payments),
		By: v.Grown(decimal.NewFromInt(now.Payments), decimal.NewFromInt(before.Payments)), Before: v.was(v.count(before.Payments)),
		Href: v.listed(t, f),
	})
}

// plot shows the paid payments in front of the created ones.
func (v *visit) plot(t figures.Trend, f figures.TrendFilter) chart.Chart {
	c := v.CountChart(say.ChartPaid, t.Slots, f.Days)
	if f.Days > 1 {
		for i := range c.Slots {
			at := t.Slots[i].At
			c.Slots[i].Href = string(v.listedOf(t.Currency, f.Method, at, at))
		}
	}
	return c
}

// funnel shows how many payments reached each stage.
func (v *visit) funnel(f figures.Funnel) chart.Ranks {
	if f.Payments == 0 {
		return nil
	}
	var steps chart.Ranks
	for _, step := range []struct {
		label say.Phrase
		count int64
		known bool
	}{
		{say.CreatedOnes, f.Payments, true},
		{sayOpened, f.Opened, f.Opened > 0},
		{sayClaimed, f.Claimed, f.Claimed > 0},
		{say.PaidOnes, f.Paid, true},
	} {
		if step.known {
			steps = append(steps, v.share(v.Say(step.label), step.count, f.Payments, ""))
		}
	}
	return steps
}

// share is a row with a part of a whole.
func (v *visit) share(label string, n, all int64, tone string) chart.Rank {
	part := decimal.NewFromInt(n).Div(decimal.NewFromInt(all))
	return chart.Rank{
		Label: label, Text: v.count(n), Note: v.Shell.Percent(part.Shift(2)) + "\u00a0%", Value: part.InexactFloat64(), Tone: tone,
	}
}

// reasonsMost is how many reasons are shown separately.
const reasonsMost = 5

// reasons shows why payments were not paid.
func (v *visit) reasons(f figures.Funnel) chart.Ranks {
	var all, shown, most int64
	for _, u := range f.Unpaid {
		all, most = all+u.Payments, max(most, u.Payments)
	}
	slices.SortStableFunc(f.Unpaid, func(a, b figures.Unpaid) int { return int(b.Payments - a.Payments) })
	var rows chart.Ranks
	for _, u := range f.Unpaid[:min(reasonsMost, len(f.Unpaid))] {
		label := v.Say(say.PaymentStatus(u.Status))
		if u.Reason != "" {
			label += ": " + v.Say(say.ReasonOf(u.Reason))
		}
		row := v.share(label, u.Payments, all, "late")
		row.Value = float64(u.Payments) / float64(most)
		rows, shown = append(rows, row), shown+u.Payments
	}
	if shown < all {
		row := v.share(v.Say(sayOtherReasons), all-shown, all, "late")
		row.Value = min(1, float64(all-shown)/float64(most))
		rows = append(rows, row)
	}
	return rows
}

// methods are the figures of each method.
func (v *visit) methods(t figures.Trend) view.Sheet {
	money := v.May(caller.MerchantMoney)
	sheet := view.Sheet{
		Label:   v.Say(say.MethodLabel),
		Columns: v.Columns(true, say.MethodLabel, say.CreatedOnes, say.PaidOnes, say.PaidRate, sayTimeToPay),
	}
	if money {
		sheet.Columns = append(sheet.Columns, v.Columns(true, say.MethodLabel, sayVolume)[1])
	}
	for _, m := range t.Methods {
		row := []view.Cell{
			{Text: v.MethodName(m.Method)}, {Text: v.count(m.Payments)}, {Text: v.count(m.Completed)},
			{Text: v.success(m.Figures)}, {Text: v.median(m.Figures)},
		}
		if money {
			row = append(row, view.Cell{Text: v.sum(m.Figures, t.Currency)})
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return sheet
}

func (v *visit) count(n int64) string { return v.Number(decimal.NewFromInt(n)) }

func sumOf(f figures.Figures) decimal.Decimal {
	if f.Amount == nil {
		return decimal.Zero
	}
	return *f.Amount
}

// nothingToSay stands in place of a missing figure.
const nothingToSay = "–"

// was says what the earlier value was.
func (v *visit) was(text string) string { return v.Say(say.BeforeWas, text) }

func (v *visit) success(f figures.Figures) string {
	success := f.Success()
	if success == nil {
		return nothingToSay
	}
	return v.Shell.Percent(*success) + "\u00a0%"
}

func (v *visit) sum(f figures.Figures, currency string) string {
	return v.Amount(sumOf(f), currency)
}

func (v *visit) median(f figures.Figures) string {
	if f.Completed == 0 {
		return nothingToSay
	}
	return v.Lasting(f.Median())
}
