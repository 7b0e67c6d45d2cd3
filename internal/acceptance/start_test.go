package acceptance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// The whole life of a payment goes from the sandbox's start page, up to the verified webhook.
func TestStartPage(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.Cashboxes[0]
	if got := portalPage(t, g.PortalURL+"/"); !strings.Contains(got, box.KeyID) || strings.Contains(got, box.Secret) {
		t.Errorf("the start page: %s", got)
	}
	form := url.Values{"cashbox": {fmt.Sprint(box.MerchantCashboxID)}, "method": {"sbp"}, "amount": {"1537.41"}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.PortalURL+"/sandbox/payments",
		strings.NewReader(form.Encode()))
	noError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", g.PortalURL)
	response, err := http.DefaultTransport.RoundTrip(r)
	noError(t, err)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("creating answers %d", response.StatusCode)
	}
	id := g.texts(t, "select id::text from payment where order_id like 'try-%' and amount = 1537.41")[0]
	uuid := g.texts(t, "select uuid::text from payment where id = "+id)[0]
	send(t, http.MethodPost, g.BaseURL+"/portal.v1.TraderService/ConfirmReceived", `{"paymentId":`+id+`}`,
		header{"Authorization": "Bearer " + g.traderOf(t, id).Token, "Content-Type": "application/json"})
	noError(t, testenv.Eventually(func() error {
		inbox := portalPage(t, g.PortalURL+"/sandbox/inbox?of="+uuid)
		if !strings.Contains(inbox, "signature verified") || !strings.Contains(inbox, "payment.status.updated") {
			return fmt.Errorf("the inbox: %s", inbox)
		}
		return nil
	}))
}

func portalPage(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, address, nil)
	noError(t, err)
	response, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	noError(t, err)
	return string(body)
}
