package developers

import (
	"time"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/internal/requestlog"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var requestRoutes = []route{
	{Pattern: "GET " + portal.RequestsPath, Needs: caller.MerchantEvents, Keeps: &requestList, Handle: portal.With(requestList, (*visit).requests)},
}

var requestList = portal.List{
	Path:     portal.RequestsPath,
	Statuses: []string{"2xx", "4xx", "5xx"},
	Status:   sayRequestClass,
	Search:   true,
	Hint:     saySearchRequests,
	Program:  true,
	Days:     int(requestlog.KeepFor / (24 * time.Hour)),
	Kept:     sayRequestsKept,
	None:     sayNoRequests, NoneText: sayNoRequestsText,
}

// requests lists what the merchant's programs asked of the API in the last
// days.
func (v *visit) requests(l portal.List) error {
	return portal.ShowList(v.Visit, l, func(a portal.Asked) (report.Page[report.RequestItem], error) {
		return v.Reports.Requests(v.Ctx(), v.Who, report.RequestFilter{
			Filter: a.Filter, Code: a.Query.Get(portal.AsksCode), KeyID: a.Query.Get(portal.AsksKey),
		})
	}, v.showRequests)
}

// showRequests shows a page of requests, and why there are none: the address
// has mistakes, nothing matches, or nothing was asked. Requests are kept for
// the days that the list covers, so it does not look for older ones.
func (v *visit) showRequests(a portal.Asked, page report.Page[report.RequestItem]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	shown := Requests{Filters: filters, Pages: portal.Pages(a, page)}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.requestRow(a, item))
	}
	switch {
	case len(a.Wrong) > 0:
		shown.Empty = view.Empty{Text: say.NotShown}
	case a.Filter.Cursor != "":
		shown.Empty = view.Empty{Title: say.NoneMatch}
	case a.Filtered():
		shown.Empty = view.Empty{Title: say.NoneMatch, Text: say.NoneMatchText}
	default:
		shown.Empty = view.Empty{Title: a.None, Text: a.NoneText}
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.RequestsTitle), RequestsPage, shown)
}

func (v *visit) requestRow(a portal.Asked, item report.RequestItem) RequestRow {
	took := decimal.New(item.Took.Microseconds(), -3).Round(1)
	return RequestRow{
		RequestItem: item, OfCode: a.With(portal.AsksCode, item.Code), OfKey: a.With(portal.AsksKey, item.KeyID),
		Took: v.Say(sayRequestTook, took.String()),
	}
}
