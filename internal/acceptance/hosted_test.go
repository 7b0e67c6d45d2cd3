package acceptance

import (
	"net/http"
	"strings"
	"testing"

	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// What a payer does on the page of the running program reaches the merchant: they cancel, or in a
// sandbox have the bank's part simulated. Other pages can do neither for them.
func TestPayerActs(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	s := newShop(t, g.first().WebhookSecret)
	for action, want := range map[string]string{"/cancel": "CANCELLED", "/simulate": "COMPLETED"} {
		created := g.create(t, g.first(), object{"callbackUri": s.URL})
		page := created.text("data.paymentPageUrl")
		foreign := fetched(t, http.MethodPost, page+action, "", header{"Sec-Fetch-Site": "cross-site"})
		if foreign.status != http.StatusForbidden {
			t.Errorf("%s from elsewhere: %d", action, foreign.status)
		}
		done := fetched(t, http.MethodPost, page+action, "", header{"Sec-Fetch-Site": "same-origin", "Origin": "null"})
		if done.status != http.StatusSeeOther || g.PayURL+done.header.Get("Location") != page {
			t.Errorf("%s: %d to %s", action, done.status, done.header.Get("Location"))
		}
		got := s.await(t, created.text("data.orderId"), 1)[0]
		if got.Data.Status != want || got.Meta.PreviousStatus != "PENDING" || got.Meta.Reason != nil {
			t.Errorf("%s: %+v", action, got)
		}
		again := fetched(t, http.MethodPost, page+action, "", header{"Sec-Fetch-Site": "same-origin"})
		if again.status != http.StatusUnprocessableEntity {
			t.Errorf("%s again: %d", action, again.status)
		}
	}
}

// The operator's settings reach the next page that is opened.
func TestPageSettings(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.box(t, "sandbox-second-rub")
	color, origin := "#7B2FF7", "https://shop.example"
	set := called(t, g.operator(t).UpdateCashbox, &portalv1.UpdateCashboxRequest{
		MerchantCashboxId: box.MerchantCashboxID, PageColor: &color, FrameOrigin: &origin,
	})
	after := set.GetChange().GetAfter().GetFields()
	if after["page_color"].GetStringValue() != "#7b2ff7" || after["frame_origin"].GetStringValue() != origin {
		t.Errorf("%v", after)
	}
	created := g.create(t, box, nil)
	page := fetched(t, http.MethodGet, created.text("data.paymentPageUrl"), "", nil)
	if !strings.Contains(page.raw, ":root{--accent:#7b2ff7}") ||
		!strings.Contains(page.header.Get("Content-Security-Policy"), "frame-ancestors "+origin) {
		t.Errorf("%v", page.header)
	}
	invalid(t, "", g.operator(t).UpdateCashbox, &portalv1.UpdateCashboxRequest{
		MerchantCashboxId: box.MerchantCashboxID, PageColor: &origin, FrameOrigin: &color,
	}, "frameOrigin", "pageColor")
}
