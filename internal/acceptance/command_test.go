package acceptance

import (
	"strings"
	"testing"

	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// An operator that the command made can sign in. What else the commands say, the scripts of
// cmd/gateway say.
func TestOperatorCreate(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const password = "correct horse battery"
	keepSecret(password)
	out, status := program(t, password+"\n", "operator", "create", "-data-dir", g.dir, "-login", "root")
	wantExit(t, "operator create", out, status, 0, "operator root created\n")
	in := called(t, portalv1connect.NewAuthServiceClient(client, g.BaseURL).Login,
		&portalv1.LoginRequest{Login: "root", Password: password})
	keepSecret(in.GetToken())
	if in.GetKind() != "operator" {
		t.Errorf("kind %s", in.GetKind())
	}
}

// What sign prints, sent with the body, is let in: by a sandbox's own key, and by one that is given.
func TestSign(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for name, variables := range map[string]map[string]string{
		"lent":  {"GATEWAY_DATA_DIR": g.dir},
		"given": {"GATEWAY_MERCHANT_SECRET": g.first().Secret},
	} {
		body := order(nil)
		out, _, err := command(t, body, variables, "sign", "-key-id", g.first().KeyID)
		noError(t, err)
		headers := header{}
		for line := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			headers[name] = value
		}
		if got := send(t, "POST", g.BaseURL+payments, body, headers); got.status != 200 || len(headers) != 3 {
			t.Errorf("%s: %d headers: %s", name, len(headers), got)
		}
	}
}
