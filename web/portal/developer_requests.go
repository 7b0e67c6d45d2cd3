package portal

import (
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/internal/requestlog"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

var requestRoutes = []route{
	{
		pattern: "GET " + requestsPath,
		kinds:   merchants,
		needs:   caller.MerchantEvents,
		handle:  with(requestList, (*visit).requests),
	},
}

const requestsPath = "/merchant/developers/requests"

var requestList = list{
	path:     requestsPath,
	statuses: []string{"2xx", "4xx", "5xx"},
	status:   say.RequestClass,
	search:   true,
	hint:     say.SearchRequests,
	program:  true,
	days:     int(requestlog.KeepFor / (24 * time.Hour)),
	kept:     say.RequestsKept,
	none:     say.NoRequests, noneText: say.NoRequestsText,
}

// requests lists what the merchant's programs asked of the API in the last days.
func (v *visit) requests(l list) error {
	a := v.asks(l)
	if v.tidied(a) {
		return nil
	}
	if len(a.wrong) > 0 {
		return v.showRequests(a, report.Page[report.RequestItem]{})
	}
	page, err := v.Reports.Requests(v.ctx(), v.who, report.RequestFilter{
		Filter: a.filter, Code: a.query.Get(asksCode), KeyID: a.query.Get(asksKey),
	})
	if a.wrong, err = v.flawed(err); err != nil {
		return err
	}
	return v.showRequests(a, page)
}

func (v *visit) showRequests(a asked, page report.Page[report.RequestItem]) error {
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	shown := view.Requests{Filters: filters, Pages: pages(a, page)}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.requestRow(a, item))
	}
	switch {
	case len(a.wrong) > 0:
		shown.Empty = view.Empty{Text: say.NotShown}
	case a.filter.Cursor != "":
		shown.Empty = view.Empty{Title: say.NoneMatch}
	case a.filtered():
		shown.Empty = view.Empty{Title: say.NoneMatch, Text: say.NoneMatchText}
	default:
		shown.Empty = view.Empty{Title: a.none, Text: a.noneText}
	}
	v.shell.Title = v.shell.Say(say.RequestsTitle)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.RequestsPage(s, shown) })
	return nil
}

func (v *visit) requestRow(a asked, item report.RequestItem) view.RequestRow {
	took := decimal.New(item.Took.Microseconds(), -3).Round(1)
	return view.RequestRow{
		At: item.At, Method: item.Method, Path: item.Path, Status: item.Status, Code: item.Code, KeyID: item.KeyID,
		OfCode: a.with(asksCode, item.Code), OfKey: a.with(asksKey, item.KeyID), RequestID: item.RequestID,
		Took: v.shell.Say(say.RequestTook, took.String()),
	}
}
