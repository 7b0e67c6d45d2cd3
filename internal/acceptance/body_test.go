package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// asProto are the headers of a Connect call in the binary form.
func asProto(headers header) header {
	if headers == nil {
		headers = header{}
	}
	return with(headers, "Content-Type", "application/proto")
}

// Portals refuse fields that nobody knows, by name: who misspells a switch must not be told that it
// was set.
func TestPortalsRefuseUnknownFields(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	operator, merchant := bearer(g.user(t, "operator").Token), bearer(g.user(t, "merchant").Token)
	for name, test := range map[string]struct {
		procedure, body string
		headers         header
		fields          string
	}{
		"misspelled": {"/portal.v1.OperatorService/UpdateCashbox", `{"merchantCashboxId":1,"collect_enable":false}`, operator, `"collect_enable"`},
		"two":        {"/portal.v1.MerchantService/ListEvents", `{"limit":1,"offset":1,"staus":"dead"}`, merchant, `"offset"`},
		"binary":     {"/portal.v1.OperatorService/UpdateCashbox", "\x08\x01\xf8\x06\x00", asProto(operator), `"field 111"`},
		"sign-in":    {"/portal.v1.AuthService/Login", `{"login":"operator","passwort":"x"}`, nil, `"passwort"`},
		"clock":      {"/sandbox.v1.SandboxService/AdvanceClock", `{"second":1}`, nil, `"second"`},
	} {
		got := fetched(t, http.MethodPost, g.BaseURL+test.procedure, test.body, test.headers)
		if got.status != 400 || !strings.Contains(got.raw, `"code":"validation_failed"`) ||
			!strings.Contains(got.raw, test.fields) {
			t.Errorf("%s: %s", name, got)
		}
	}
	// Both spellings of a known field are known.
	for _, body := range []string{`{"merchantCashboxId":1,"collectEnabled":true}`, `{"merchant_cashbox_id":1,"collect_enabled":true}`} {
		if got, err := trySend(http.MethodPost, g.BaseURL+"/portal.v1.OperatorService/UpdateCashbox", body,
			operator); err != nil || got.status != 200 {
			t.Errorf("%s: %s, %v", body, got, err)
		}
	}
}

// The merchants' API ignores unknown fields; a sandbox tells of them in a header.
func TestMerchantsAreWarned(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	body := order(object{"cutomer": 1, "payer": object{"userid": "x", "\x01\"é": 2}})
	for _, address := range []string{g.BaseURL + payments, g.BaseURL + "/gateway.v1.PaymentService/CreatePayment"} {
		got := fetched(t, http.MethodPost, address, body, signed(box, body))
		warning := got.header.Get("Warning")
		if got.status != 200 || !strings.HasPrefix(warning, `299 gateway "Unknown fields or parameters are ignored: `) ||
			!strings.Contains(
				warning,
				"cutomer",
			) || !strings.Contains(warning, "payer.userid") || !strings.HasSuffix(warning, `"`) || strings.Count(warning, `"`) != 2 {
			t.Errorf("%s: %s, Warning: %s", address, got, warning)
		}
	}
	plain := order(nil)
	if got := g.post(t, box, plain); got.header.Get("Warning") != "" {
		t.Errorf("warned of nothing: %s", got.header.Get("Warning"))
	}
	got := send(t, http.MethodGet, g.BaseURL+fmt.Sprintf("/api/v1/cashboxes/%d/balance?curency=1", box.MerchantCashboxID), "", signed(box, ""))
	if got.status != 200 || got.header.Get("Warning") != `299 gateway "Unknown fields or parameters are ignored: curency"` {
		t.Errorf("a query: %s, Warning: %s", got, got.header.Get("Warning"))
	}
}
