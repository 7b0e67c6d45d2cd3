package acceptance

import (
	"encoding/base64"
	"strings"
	"testing"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

// production are the variables a production gateway needs besides its database.
func production() map[string]string {
	key := base64.StdEncoding.EncodeToString([]byte("a key of exactly 32 bytes, no mo"))
	return map[string]string{
		"GATEWAY_VAULT_KEYS":  key,
		"GATEWAY_LINK_KEYS":   key,
		"GATEWAY_BASE_URL":    "https://api.example",
		"GATEWAY_PAY_URL":     "https://pay.example",
		"GATEWAY_PORTAL_URL":  "https://portal.example",
		"GATEWAY_DRAIN_DELAY": "0s",
		"GATEWAY_FOUR_EYES":   "off",
	}
}

// live is a production gateway with one merchant in its database.
func live(t *testing.T, more map[string]string) *instance {
	t.Helper()
	g := empty(t, more)
	box := sandbox.Cashbox{KeyID: "live", Secret: "a secret of the live merchant's"}
	g.Cashboxes, g.ExternalPaymentsSecret = []sandbox.Cashbox{box}, more["GATEWAY_EXTERNAL_PAYMENTS_SECRET"]
	keepSecret(box.Secret, g.ExternalPaymentsSecret)
	g.exec(t, `with m as (insert into merchant (name, created_at) values ('Shop', now()) returning id),
		c as (insert into cashbox (merchant_id, name, currency, webhook_secret, created_at) select id, 'Shop', 'RUB', '', now() from m returning id),
		x as (insert into cashbox_method (cashbox_id, method, validity_seconds) select id, 'sbp', 900 from c)
		insert into api_key (key_id, secret_hash, name, merchant_id, cashbox_id, scopes, created_at)
		select $1, $2, 'live', m.id, c.id, '{payments}', now() from m, c`, box.KeyID, auth.HashSecret(box.Secret))
	return g
}

// empty is a production gateway on a database of its own, in which nobody is.
func empty(t *testing.T, more map[string]string) *instance {
	t.Helper()
	return setup{live: true, database: hurried(t, dbtest.URL(t)), variables: more}.start(t)
}

// Of a production gateway outsiders learn what they are to, and its settings warn of nothing.
func TestProduction(t *testing.T) {
	t.Parallel()
	g := live(t, map[string]string{"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "the application's own long secret"})
	g.runs(t, "production")
	wantStrictTransport(t, map[*instance]string{g: "max-age=31536000", sharedSandbox(t): ""})
	noError(t, g.stop())
	for line := range strings.Lines(g.stderr.String()) { // a machine that stands still for seconds is no fault of the settings
		testenv.Check(t, !strings.Contains(line, `"WARN"`) || strings.Contains(line, "has gone silent") || strings.Contains(line, "clock"),
			"warned: %s", line)
	}
}

// wantStrictTransport: browsers are told to come by https alone where the public URL is one, on every address, whatever
// the answer.
func wantStrictTransport(t *testing.T, gateways map[*instance]string) {
	t.Helper()
	for g, want := range gateways {
		for _, address := range []string{
			g.BaseURL + "/openapi.json", g.BaseURL + payments, g.PayURL + "/r/unknown", g.PayURL + "/static/unknown", g.PortalURL + "/",
		} {
			got := fetched(t, "GET", address, "", nil).header.Get("Strict-Transport-Security")
			testenv.Want(t, got, want, "%s", address)
		}
	}
}
