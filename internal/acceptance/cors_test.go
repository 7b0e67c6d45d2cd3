package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const portalLogin = "/portal.v1.AuthService/Login"

// Pages of the origins that the operator of the gateway names may call the portals' RPCs, and no others.
// Browsers send no cookies there.
func TestPortalOrigins(t *testing.T) {
	t.Parallel()
	const allowed, other = "https://desk.example.com", "https://other.example.com:8443"
	g := freshSandbox(t, "-portal-origins", allowed+","+other)
	credentials := fmt.Sprintf("/api/merchant-portal/merchant-cashboxes/%d/api-credentials",
		g.first().MerchantCashboxID)
	for _, test := range []struct {
		origin, path string
		granted      string
	}{
		{allowed, portalLogin, allowed},
		{other, portalLogin, other},
		{allowed, "/portal.v1.ReportService/ListPayments", allowed},
		{allowed, credentials, allowed},
		{"https://desk.example.com.evil.example", portalLogin, ""},
		{"https://evil.example", portalLogin, ""},
		{"http://desk.example.com", portalLogin, ""},
		{"https://other.example.com", portalLogin, ""},
		{"null", portalLogin, ""},
		{"", portalLogin, ""},
		{allowed, "/gateway.v1.PaymentService/CreatePayment", ""},
		{allowed, payments, ""},
		{allowed, "/sandbox.v1.SandboxService/AdvanceClock", ""},
	} {
		checkOrigin(t, g, test.origin, test.path, test.granted)
	}
}

// checkOrigin asks as a browser does, first whether it may and then, refused for want of a token or not.
func checkOrigin(t *testing.T, g *instance, origin, path, granted string) {
	t.Helper()
	asked := header{
		"Origin": origin, "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "authorization,connect-protocol-version,content-type",
	}
	preflight := fetched(t, http.MethodOptions, g.BaseURL+path, "", asked)
	posted := fetched(t, http.MethodPost, g.BaseURL+path, "{}", header{"Origin": origin})
	for name, got := range map[string]answer{"preflight": preflight, "call": posted} {
		if allowed := got.header.Get("Access-Control-Allow-Origin"); allowed != granted {
			t.Errorf("%s of %s from %q: allowed %q, want %q", name, path, origin, allowed, granted)
		}
		if got.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s of %s: browsers may send cookies", name, path)
		}
	}
	headers := preflight.header.Get("Access-Control-Allow-Headers")
	if granted != "" && (preflight.status != http.StatusNoContent || !strings.Contains(headers, "Authorization")) {
		t.Errorf("preflight of %s: %d, headers %q", path, preflight.status, headers)
	}
	if granted == "" && preflight.status < http.StatusBadRequest {
		t.Errorf("preflight of %s from %q: %d", path, origin, preflight.status)
	}
	if strings.HasPrefix(path, "/portal") && posted.header.Get("Vary") != "Origin" {
		t.Errorf("%s: Vary is %q", path, posted.header.Get("Vary"))
	}
}

// Without the setting no page of another origin may call the portals' RPCs.
func TestNoPortalOrigins(t *testing.T) {
	t.Parallel()
	checkOrigin(t, sharedSandbox(t), "https://desk.example.com", portalLogin, "")
}
