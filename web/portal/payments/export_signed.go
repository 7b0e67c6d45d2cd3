package payments

import (
	"fmt"
	"net/http"

	"gateway.example/internal/caller"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The timeline of a payment to be given to others, as a signed file and on
// paper.
var signedRoutes = []route{
	{Pattern: "GET /merchant/payments/{id}/timeline.json", Needs: caller.MerchantRead, Handle: (*visit).signedTimeline},
	{Pattern: "GET /merchant/payments/{id}/print", Needs: caller.MerchantRead, Handle: (*visit).printTimeline},
	{Pattern: "GET /.well-known/gateway-keys.json", Open: true, Handle: (*visit).signingKeys},
}

func (v *visit) signedTimeline() error {
	id := v.R.PathValue("id")
	file, err := v.Timelines.Signed(v.Ctx(), v.Who, id, v.Signer)
	if err != nil {
		return err
	}
	v.W.Header().Set("Content-Type", "application/json")
	v.W.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "payment-timeline.json"))
	_, _ = v.W.Write(file)
	return nil
}

// printTimeline shows the history of a payment on a page made for paper, to
// users of its merchant. It has the same lines as the payment's page, and links
// to the signed file.
func (v *visit) printTimeline() error {
	id := v.R.PathValue("id")
	lines, err := v.Timelines.Payment(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	p, err := v.Payments.Get(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	v.Shell.Title = v.Say(say.PaymentTitle, p.ID)
	shown := Printed{
		UUID: p.UUID.String(), OrderID: p.OrderID, Lines: v.Timeline(lines),
		Back: view.Link(v.PaymentPath(p.ID)),
		File: view.Link(v.PaymentPath(p.ID) + "/timeline.json"),
	}
	return portal.Show(v.Visit, http.StatusOK, PrintPage, shown)
}

// signingKeys sends the public keys, by which anybody can verify a signed file.
func (v *visit) signingKeys() error {
	file, err := v.Signer.Published(v.Ctx())
	if err != nil {
		return err
	}
	v.W.Header().Set("Content-Type", "application/json")
	_, _ = v.W.Write(file)
	return nil
}
