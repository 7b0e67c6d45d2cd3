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
	"gateway.example/web/site"
)

var requestRoutes = []route{
	{
		Pattern: "GET " + portal.RequestsPath,
		Kinds:   portal.Merchants,
		Needs:   caller.MerchantEvents,
		Keeps:   &requestList, Handle: portal.With(requestList, (*visit).requests),
	},
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

// requests lists what the merchant's programs asked of the API in the last days.
func (v *visit) requests(l portal.List) error {
	a := v.Asks(l)
	if v.Tidied(a) {
		return nil
	}
	if len(a.Wrong) > 0 {
		return v.showRequests(a, report.Page[report.RequestItem]{})
	}
	page, err := v.Reports.Requests(v.Ctx(), v.Who, report.RequestFilter{
		Filter: a.Filter, Code: a.Query.Get(portal.AsksCode), KeyID: a.Query.Get(portal.AsksKey),
	})
	if a.Wrong, err = v.Flawed(err); err != nil {
		return err
	}
	return v.showRequests(a, page)
}

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
	v.Shell.Title = v.Shell.Say(say.RequestsTitle)
	v.Show(a.StatusOf(), func(s view.Shell) site.Page { return RequestsPage(s, shown) })
	return nil
}

func (v *visit) requestRow(a portal.Asked, item report.RequestItem) RequestRow {
	took := decimal.New(item.Took.Microseconds(), -3).Round(1)
	return RequestRow{
		At:        item.At,
		Method:    item.Method,
		Path:      item.Path,
		Status:    item.Status,
		Code:      item.Code,
		KeyID:     item.KeyID,
		OfCode:    a.With(portal.AsksCode, item.Code),
		OfKey:     a.With(portal.AsksKey, item.KeyID),
		RequestID: item.RequestID,
		Took:      v.Shell.Say(sayRequestTook, took.String()),
	}
}
