package acceptance

import (
	"fmt"
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
	if got := fetched(t, http.MethodGet, g.PortalURL+"/", "", nil).raw; !strings.Contains(got, box.KeyID) ||
		strings.Contains(got, box.Secret) {
		t.Errorf("the start page: %s", got)
	}
	form := url.Values{"cashbox": {fmt.Sprint(box.MerchantCashboxID)}, "method": {"sbp"}, "amount": {"1537.41"}}
	submitted(t, g.PortalURL, "/sandbox/payments", form, nil).must(t, "creating", http.StatusSeeOther)
	id := g.texts(t, "select id::text from payment where order_id like 'try-%' and amount = 1537.41")[0]
	uuid := g.texts(t, "select uuid::text from payment where id = "+id)[0]
	send(t, http.MethodPost, g.BaseURL+"/portal.v1.TraderService/ConfirmReceived", `{"paymentId":`+id+`}`,
		header{"Authorization": "Bearer " + g.traderOf(t, id).Token, "Content-Type": "application/json"})
	noError(t, testenv.Eventually(func() error {
		inbox := fetched(t, http.MethodGet, g.PortalURL+"/sandbox/inbox?of="+uuid, "", nil).raw
		if !strings.Contains(inbox, "signature verified") || !strings.Contains(inbox, "payment.status.updated") {
			return fmt.Errorf("the inbox: %s", inbox)
		}
		return nil
	}))
}
