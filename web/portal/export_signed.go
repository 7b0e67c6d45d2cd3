package portal

import (
	"fmt"
	"net/http"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What happened to a payment, to be given to others: signed, and on paper.
var signedRoutes = []route{
	{
		pattern: "GET /merchant/payments/{id}/timeline.json", kinds: merchants, needs: caller.MerchantRead,
		handle: (*visit).signedTimeline,
	},
	{
		pattern: "GET /merchant/payments/{id}/print", kinds: merchants, needs: caller.MerchantRead,
		handle: (*visit).printTimeline,
	},
	{pattern: "GET /.well-known/gateway-keys.json", open: true, handle: (*visit).signingKeys},
}

func (v *visit) signedTimeline() error {
	id := v.r.PathValue("id")
	file, err := v.Reports.SignedTimeline(v.ctx(), v.who, id, v.Signer)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "payment-timeline.json"))
	_, _ = v.w.Write(file) //nolint:gosec // JSON, and sent as such
	return nil
}

func (v *visit) printTimeline() error {
	id := v.r.PathValue("id")
	lines, err := v.Reports.Timeline(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	p, err := v.Payments.Get(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.PaymentTitle, p.ID)
	shown := view.Printed{
		UUID: p.UUID.String(), OrderID: p.OrderID, Lines: v.timeline(lines),
		Back: view.Link(v.paymentPath(p.ID)),
		File: view.Link(v.paymentPath(p.ID) + "/timeline.json"),
	}
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.PrintPage(s, shown) })
	return nil
}

// signingKeys are public, so that whoever has a signed file can prove it.
func (v *visit) signingKeys() error {
	file, err := v.Signer.Published(v.ctx())
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	_, _ = v.w.Write(file) //nolint:gosec // JSON, and sent as such
	return nil
}
