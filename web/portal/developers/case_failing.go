package developers

import (
	"net/http"

	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// failing lists merchants' endpoints at which deliveries fail and are tried
// again. The operators' counter of them links here.
func (v *visit) failing() error {
	list, err := v.Reports.Failing(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	v.Shell.Title = v.Say(say.FailingTitle)
	sheet := view.Sheet{
		Label: v.Shell.Title, Empty: view.Empty{Title: sayFailingNone, Text: sayFailingNoneText},
		Columns: []view.Column{
			{Text: v.Say(sayEndpoint)}, {Text: v.Say(say.PortalMerchant)}, {Text: v.Say(sayDeliveriesWait), Right: true},
			{Text: v.Say(sayTriedMost), Right: true}, {Text: v.Say(sayNextAttempt)},
		},
	}
	for _, one := range list {
		merchant := view.Link(portal.Numbered(portal.MerchantsPath, one.MerchantID))
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: one.Host, Href: merchant}, {Text: one.Merchant}, {Text: portal.IDText(one.Waiting)},
			{Text: portal.IDText(int64(one.Attempts))}, {At: &one.NextAt},
		})
	}
	return portal.Show(v.Visit, http.StatusOK, FailingPage, sheet)
}
