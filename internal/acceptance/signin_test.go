package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// signIn tries a login from an address, which a proxy names.
func (g *instance) signIn(t *testing.T, from, login, password string) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"login":%q,"password":%q}`, login, password)
	got := fetched(t, http.MethodPost, g.BaseURL+"/portal.v1.AuthService/Login", body, header{"X-Forwarded-For": from})
	for _, code := range []string{"invalid_credentials", "rate_limited", "validation_failed"} {
		if strings.Contains(got.raw, code) {
			return got.status, code
		}
	}
	return got.status, ""
}

func (g *instance) signInAs(t *testing.T, login, password string) (*connect.Response[portalv1.LoginResponse], error) {
	t.Helper()
	return portalv1connect.NewAuthServiceClient(client, g.BaseURL).
		Login(t.Context(), connect.NewRequest(&portalv1.LoginRequest{Login: login, Password: password}))
}

// Only passwords that were compared and found wrong count, against the address that a proxy names. Each takes time to
// compare, so that few are let through here.
func TestSignInLimits(t *testing.T) {
	t.Parallel()
	plan := fresh(t, "-trusted-proxies", "127.0.0.0/8")
	altered(t, plan.database,
		"update rate_limit set calls = calls / 50, per_seconds = per_seconds * 1000 where name like '%login%'")
	altered(t, plan.database, "update rate_limit set calls = 20, per_seconds = 3600 where name = 'user'")
	g := plan.start(t)
	password := g.user(t, "operator").Password
	for _, try := range []struct {
		from, password string
		status         int
		code           string
	}{
		{"192.0.2.1", "", 400, "validation_failed"},
		{"192.0.2.1", strings.Repeat("x", 300), 401, "invalid_credentials"},
		{"192.0.2.1", password, 200, ""},
		{"192.0.2.1", "a wrong password", 401, "invalid_credentials"},
		{"192.0.2.1", "a wrong password", 401, "invalid_credentials"},
		{"192.0.2.1", password, 429, "rate_limited"},
		{"192.0.2.2", password, 200, ""},
	} {
		if status, code := g.signIn(t, try.from, "operator", try.password); status != try.status || code != try.code {
			t.Errorf("%s with %.20q: %d %s; want %d %s", try.from, try.password, status, code, try.status, try.code)
		}
	}
	usersAreLimited(t, g)
}

// A user calls so often and no more, whatever is called, and keeps nobody else from calling.
func usersAreLimited(t *testing.T, g *instance) {
	const calls = "select calls from rate_limit where name = 'user' and per_seconds = 1"
	if got := sharedSandbox(t).count(t, calls); got != 200 {
		t.Errorf("a sandbox's user may call %d times a second", got)
	}
	desk := g.merchantDesk(g.user(t, "merchant").Token)
	ask := connect.NewRequest(&portalv1.ListEventsRequest{})
	for n := range 21 {
		_, err := desk.ListEvents(t.Context(), ask)
		if n < 20 {
			noError(t, err)
		} else {
			wantFault(t, "one more", err, connect.CodeResourceExhausted, "rate_limited")
		}
	}
	g.create(t, g.box(t, "sandbox-second-rub"), nil) // another merchant
	read := gatewayv1connect.NewPaymentServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	_, err := read.GetPayment(t.Context(), connect.NewRequest(&gatewayv1.GetPaymentRequest{PaymentId: "1"}))
	if code, _, _ := connectFault(t, err); code != connect.CodeResourceExhausted {
		t.Errorf("another procedure: %s", code)
	}
	if _, err := g.merchantDesk(g.user(t, "merchant-2").Token).
		ListEvents(t.Context(), connect.NewRequest(&portalv1.ListEventsRequest{})); err != nil {
		t.Errorf("another user: %v", err)
	}
}
