package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const portalLogin = "/portal.v1.AuthService/Login"

const desk, otherDesk = "https://desk.example.com", "https://other.example.com:8443"

// Flags of one gateway, each of which changes something else.
func TestFlags(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t, "-portal-origins="+desk+","+otherDesk, "-callback-signature=v2", "-trusted-proxies=127.0.0.1")
	t.Run("portal-origins", func(t *testing.T) { portalOrigins(t, g) })
	t.Run("callback-signature", func(t *testing.T) { callbackSignatureV2Demanded(t, g) })
	t.Run("trusted-proxies", func(t *testing.T) { behindProxy(t, g) })
}

// Pages of the origins that the operator of the gateway names may call the portals' RPCs, and no others.
// Browsers send no cookies there.
func portalOrigins(t *testing.T, g *instance) {
	credentials := fmt.Sprintf("/api/merchant-portal/merchant-cashboxes/%d/api-credentials",
		g.first().MerchantCashboxID)
	for _, test := range []struct {
		origin, path string
		granted      string
	}{
		{desk, portalLogin, desk},
		{otherDesk, portalLogin, otherDesk},
		{desk, "/portal.v1.ReportService/ListPayments", desk},
		{desk, credentials, desk},
		{"https://desk.example.com.evil.example", portalLogin, ""},
		{"https://evil.example", portalLogin, ""},
		{"http://desk.example.com", portalLogin, ""},
		{"https://other.example.com", portalLogin, ""},
		{"null", portalLogin, ""},
		{"", portalLogin, ""},
		{desk, "/gateway.v1.PaymentService/CreatePayment", ""},
		{desk, payments, ""},
		{desk, "/sandbox.v1.SandboxService/AdvanceClock", ""},
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

// Behind a proxy the limits of addresses count clients, on the API and on the pages.
func behindProxy(t *testing.T, g *instance) {
	for _, client := range []string{"198.51.100.1", "198.51.100.2", "198.51.100.2"} {
		_, token := g.cardPayment(t, nil)
		got := send(t, "POST", g.BaseURL+"/api/v1/checkout/"+token+"/payer-details", typedCard("4242424242424242", nil),
			header{"X-Forwarded-For": client})
		got.want(t, client, 200)
	}
	_, token := g.cardPayment(t, nil)
	form := url.Values{"pan": {"4242424242424242"}, "expiry": {"12/35"}, "cvv": {"123"}}
	submitted(t, g.PayURL, "/pay/"+token+"/card", form, header{"X-Forwarded-For": "198.51.100.3"})
	if n := g.count(t, "select count(distinct source) from card_attempt"); n != 3 {
		t.Errorf("%d clients seen, want 3", n)
	}
}
