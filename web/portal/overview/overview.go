package overview

import (
	"net/http"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/figures"
	"gateway.example/internal/waits"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The first page of a merchant.
var overviewRoutes = []route{
	{Pattern: "GET /merchant", Needs: caller.MerchantRead, Handle: (*visit).overview},
}

// overview shows a merchant how its payments went in the days, currency and
// method that the address asks for, and what waits and fails now, whatever it
// asks for. If there are too many payments for the funnel, it says of how many
// newest ones it is.
func (v *visit) overview() error {
	o, err := v.Figures.Standing(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	asked := v.asked()
	trend, err := v.Figures.Trend(v.Ctx(), v.Who, asked)
	if err != nil {
		return err
	}
	shown := Overview{
		Picks: v.picks(trend, asked), Answer: v.answer(trend, asked), Any: trend.Now.Payments+trend.Before.Payments > 0,
		Plot: v.plot(trend, asked), Funnel: v.funnel(trend.Funnel), Reasons: v.reasons(trend.Funnel),
		Methods: v.methods(trend),
	}
	if trend.Funnel.Capped {
		shown.Newest = v.Say(sayNewest, trend.Funnel.Payments)
	}
	v.overviewState(&shown, o)
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.Overview), OverviewPage, shown)
}

// overviewState shows what waits, what fails and what there is.
func (v *visit) overviewState(shown *Overview, o figures.Overview) {
	for _, q := range o.Queues {
		count := strconv.Itoa(q.Count)
		if q.More {
			count += "+"
		}
		shown.Queues = append(
			shown.Queues,
			Queue{
				Label: v.Say(sayOverviewQueue(string(q.Queue))),
				Count: count,
				Href:  queuePaths[q.Queue],
			},
		)
	}
	for _, e := range o.Endpoints {
		answer := v.Say(sayEndpointSilent)
		if e.LastStatus != 0 {
			answer = v.Say(sayEndpointAnswer, e.LastStatus)
		}
		shown.Endpoints = append(shown.Endpoints, Queue{
			Label: v.Say(sayEndpointFails, e.Host, e.Failures, e.Attempts), Count: "; " + answer,
			Href: view.Link(portal.HooksPath + "#cashbox-" + strconv.FormatInt(e.CashboxID, 10)),
		})
	}
	shown.Balance = v.overviewBalance(o.Balances)
}

// overviewBalance adds up what a merchant's cashboxes have.
func (v *visit) overviewBalance(boxes []figures.CashboxBalance) []view.OverviewFigure {
	if len(boxes) == 0 {
		return nil
	}
	var sum figures.CashboxBalance
	for _, b := range boxes {
		sum.Total, sum.Available = sum.Total.Add(b.Total), sum.Available.Add(b.Available)
		sum.Reserved, sum.Insurance = sum.Reserved.Add(b.Reserved), sum.Insurance.Add(b.Insurance)
	}
	figure := func(label say.Phrase, amount decimal.Decimal) view.OverviewFigure {
		return v.Shell.Rounded(v.Say(label), amount)
	}
	return []view.OverviewFigure{
		figure(say.Total, sum.Total), figure(say.AccountAvailable, sum.Available),
		figure(say.AccountReserved, sum.Reserved), figure(say.Insured, sum.Insurance),
	}
}

// always is a day before the first data.
const always = "2000-01-01"

// queuePaths are the lists of what waits, of any age.
var queuePaths = map[waits.Queue]view.Link{
	waits.OwnAppeals:  view.Link(portal.OwnAppealsPath + "?status=open&status=in_review"),
	waits.OwnDeposits: view.Link(portal.OwnDepositsPath + "?status=pending"),
	waits.Overdue:     view.Query(portal.OwnPayoutsPath, portal.AsksOverdue, portal.Yes, portal.AsksFrom, always),
	waits.DeadEvents:  view.Query(portal.EventsPath, portal.AsksStatus, "dead", portal.AsksFrom, always),
}
