package acceptance

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

// A form of the reference makes a payment in the sandbox: the key is the sandbox's, the door the same as
// for all callers, and the secret is on no page.
func TestReferenceMakesCalls(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	noError(t, form.WriteField("key", box.KeyID))
	noError(t, form.WriteField("body", fmt.Sprintf(
		`{"orderId":%q,"amount":"1500.00","currency":"RUB","method":"sbp","callbackUri":"https://shop.example/webhook"}`,
		"by the reference",
	)))
	noError(t, form.Close())
	page := fetched(t, http.MethodPost, g.BaseURL+"/docs/CreatePayment", body.String(),
		header{"Content-Type": form.FormDataContentType(), "Origin": g.BaseURL})
	if page.status != http.StatusOK || !strings.Contains(page.raw, "Payment created") {
		t.Error(page)
	}
	if strings.Contains(page.raw, box.Secret) {
		t.Error("the secret is on the page")
	}
	const query = "select count(*) from payment where order_id = 'by the reference'"
	if made := g.count(t, query); made != 1 {
		t.Errorf("%d payments were made", made)
	}
}
