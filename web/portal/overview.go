package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What a merchant sees first.
var overviewRoutes = []route{
	{pattern: "GET /merchant", kinds: merchants, needs: caller.MerchantRead, handle: (*visit).overview},
}

func (v *visit) overview() error {
	o, err := v.Reports.Overview(v.ctx(), v.who, v.shell.Zone)
	if err != nil {
		return err
	}
	money := v.who.May(caller.MerchantMoney)
	shown := view.Overview{}
	for _, d := range o.Today {
		shown.Days = append(shown.Days, v.overviewDay(d, money))
	}
	for _, m := range o.Methods {
		row := v.overviewRow(v.methodName(m.Method)+", "+m.Currency, m.Figures)
		row.Amount = v.overviewSum(m.Figures, m.Currency, money)
		shown.Methods = append(shown.Methods, row)
	}
	for _, h := range o.Hours {
		shown.Hours = append(shown.Hours, v.overviewHour(h))
	}
	v.overviewState(&shown, o)
	v.shell.Title = v.shell.Say(say.Overview)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.OverviewPage(s, shown) })
	return nil
}

// overviewState shows what waits, fails and is there.
func (v *visit) overviewState(shown *view.Overview, o report.Overview) {
	for _, q := range o.Queues {
		count := strconv.Itoa(q.Count)
		if q.More {
			count += "+"
		}
		shown.Queues = append(
			shown.Queues,
			view.OverviewQueue{
				Label: v.shell.Say(say.OverviewQueue(string(q.Queue))),
				Count: count,
				Href:  queuePaths[q.Queue],
			},
		)
	}
	for _, e := range o.Endpoints {
		answer := v.shell.Say(say.EndpointSilent)
		if e.LastStatus != 0 {
			answer = v.shell.Say(say.EndpointAnswer, e.LastStatus)
		}
		shown.Endpoints = append(shown.Endpoints, view.OverviewQueue{
			Label: v.shell.Say(say.EndpointFails, e.Host, e.Failures, e.Attempts), Count: "; " + answer,
			Href: view.Link(hooksPath + "#cashbox-" + strconv.FormatInt(e.CashboxID, 10)),
		})
	}
	shown.Balance = v.overviewBalance(o.Balances)
}

// overviewBalance sums what a merchant's cashboxes have.
func (v *visit) overviewBalance(boxes []report.CashboxBalance) []view.OverviewFigure {
	if len(boxes) == 0 {
		return nil
	}
	var sum report.CashboxBalance
	for _, b := range boxes {
		sum.Total, sum.Available = sum.Total.Add(b.Total), sum.Available.Add(b.Available)
		sum.Reserved, sum.Insurance = sum.Reserved.Add(b.Reserved), sum.Insurance.Add(b.Insurance)
	}
	figure := func(label say.Phrase, amount decimal.Decimal) view.OverviewFigure {
		return view.OverviewFigure{Label: v.shell.Say(label), Now: view.Figure(amount)}
	}
	return []view.OverviewFigure{
		figure(say.Total, sum.Total), figure(say.AccountAvailable, sum.Available),
		figure(say.AccountReserved, sum.Reserved), figure(say.Insured, sum.Insurance),
	}
}

// always is a day before which there is nothing.
const always = "2000-01-01"

// queuePaths are where what waits is listed, of whatever age.
var queuePaths = map[report.Queue]view.Link{
	report.QueueOwnAppeals:  view.Link(appealList.path + "?status=open&status=in_review"),
	report.QueueOwnDeposits: view.Link(depositList.path + "?status=pending"),
	report.QueueOverdue:     view.Query(ownPayoutList.path, asksOverdue, yes, asksFrom, always),
	report.QueueDeadEvents:  view.Query(eventsPath, asksStatus, "dead", asksFrom, always),
}

// today leads to today's payments in a currency with one of these statuses.
func (v *visit) today(currency string, statuses ...string) view.Link {
	from := v.shell.Now.In(v.shell.Zone).Format(time.DateOnly)
	query := url.Values{asksFrom: {from}, asksCurrency: {currency}}
	if len(statuses) > 0 {
		query[asksStatus] = statuses
	}
	return listed(ownPaymentList.path, query.Encode())
}

func (v *visit) overviewDay(d report.DayFigures, money bool) view.OverviewDay {
	figure := func(label say.Phrase, of func(report.Figures) string) view.OverviewFigure {
		return view.OverviewFigure{Label: v.shell.Say(label), Now: of(d.Now), Before: of(d.LastWeek)}
	}
	day := view.OverviewDay{Title: v.shell.Say(say.TodayIn, d.Currency), Figures: []view.OverviewFigure{
		figure(say.PaymentsMade, func(f report.Figures) string { return strconv.FormatInt(f.Payments, 10) }),
		figure(say.SuccessRate, v.overviewSuccess),
		figure(say.TimeToPay, v.overviewMedian),
	}}
	if money {
		day.Figures = append(day.Figures, figure(say.CompletedSum, func(f report.Figures) string {
			return v.overviewSum(f, d.Currency, money)
		}))
		day.Figures[len(day.Figures)-1].Href = v.today(d.Currency, "completed")
	}
	day.Figures[0].Href = v.today(d.Currency)
	day.Figures[1].Href = v.today(d.Currency, "completed", "failed", "cancelled")
	return day
}

func (v *visit) overviewRow(name string, f report.Figures) view.OverviewRow {
	return view.OverviewRow{
		Name: name, Payments: strconv.FormatInt(f.Payments, 10), Completed: strconv.FormatInt(f.Completed, 10),
		Success: v.overviewSuccess(f), Median: v.overviewMedian(f),
	}
}

func (v *visit) overviewHour(h report.HourFigures) view.OverviewHour {
	hour := view.OverviewHour{
		At: h.At, Payments: h.Payments, Completed: h.Completed, Row: v.overviewRow(v.shell.When(h.At), h.Figures),
	}
	if success := h.Success(); success != nil {
		hour.Success, hour.Ended = success.InexactFloat64(), true
	}
	return hour
}

// nothingToSay stands where there is no figure.
const nothingToSay = "–"

func (v *visit) overviewSuccess(f report.Figures) string {
	success := f.Success()
	if success == nil {
		return nothingToSay
	}
	return v.shell.Number(*success) + "\u00a0%"
}

func (v *visit) overviewSum(f report.Figures, currency string, money bool) string {
	if !money {
		return nothingToSay
	}
	sum := decimal.Zero
	if f.Amount != nil {
		sum = *f.Amount
	}
	return v.shell.Amount(sum, currency)
}

func (v *visit) overviewMedian(f report.Figures) string {
	if f.Completed == 0 {
		return nothingToSay
	}
	seconds := int(f.Median() / time.Second)
	switch {
	case seconds < 60:
		return v.shell.Say(say.Seconds, seconds)
	case seconds < 3600:
		return v.shell.Say(say.MinutesSeconds, seconds/60, seconds%60)
	}
	return v.shell.Say(say.HoursMinutes, seconds/3600, seconds/60%60)
}
