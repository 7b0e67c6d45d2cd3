package acceptance

import (
	"encoding/base64"
	"os"
	"path/filepath"
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
func live(t *testing.T, more map[string]string) (*instance, sandbox.Cashbox) {
	t.Helper()
	g := empty(t, more)
	box := sandbox.Cashbox{KeyID: "live", Secret: "a secret of the live merchant's"}
	g.exec(t, `with m as (insert into merchant (name, created_at) values ('Shop', now()) returning id),
		c as (insert into cashbox (merchant_id, name, currency, webhook_secret, created_at) select id, 'Shop', 'RUB', '', now() from m returning id),
		x as (insert into cashbox_method (cashbox_id, method, validity_seconds) select id, 'sbp', 900 from c)
		insert into api_key (key_id, secret_hash, name, merchant_id, cashbox_id, scopes, created_at)
		select $1, $2, 'live', m.id, c.id, '{payments}', now() from m, c`, box.KeyID, auth.HashSecret(box.Secret))
	return g, box
}

// empty is a production gateway on a database of its own, in which nobody is.
func empty(t *testing.T, more map[string]string) *instance {
	t.Helper()
	return setup{live: true, database: hurried(t, dbtest.URL(t)), variables: more}.start(t)
}

// noSandbox: nothing is seeded, printed or written, and the clock cannot be moved. It stops the
// gateway.
func noSandbox(t *testing.T, g *instance) {
	t.Helper()
	seeded := g.count(
		t,
		`select (select count(*) from trader) + (select count(*) from requisite) + (select count(*) from app_user)
		+ (select count(*) from test_clock) + (select count(*) from transfer) + (select count(*) from merchant where name <> 'Shop')`,
	)
	testenv.Check(t, seeded == 0, "%d rows seeded", seeded)
	if _, err := os.Stat(filepath.Join(g.dir, "sandbox.json")); err == nil {
		t.Error("there is a sandbox.json")
	}
	got := fetched(t, "POST", g.BaseURL+"/sandbox.v1.SandboxService/AdvanceClock", `{"seconds":1}`, nil)
	got.want(t, "AdvanceClock", 404)
	for _, path := range []string{"trigger", "clock/advance", "simulation"} {
		got := fetched(t, "POST", g.BaseURL+"/api/v1/sandbox/"+path, `{"seconds":1}`, nil)
		got.want(t, path, 404, "code", "not_found")
	}
	noError(t, g.stop())
	testenv.Check(t, g.stdout.String() == "", "printed %q", g.stdout)
}

// With the secret, creations get as far as the rate; loopback is no address for a webhook.
func TestProduction(t *testing.T) {
	t.Parallel()
	secret := "the application's own long secret"
	keepSecret(secret)
	g, box := live(t, map[string]string{"GATEWAY_EXTERNAL_PAYMENTS_SECRET": secret})
	g.post(t, box, order(nil)).want(t, "create", 422, "code", "collect_requisites_not_available")
	for _, local := range []string{"http://127.0.0.1:9/", "https://127.0.0.1/", "http://localhost/"} {
		got := g.post(t, box, order(object{"callbackUri": local}))
		testenv.Check(t, got.status == 422 && len(got.fields()) == 1 && got.fields()[0] == "callbackUri",
			"%s: %s", local, got)
	}
	wantStrictTransport(t, map[*instance]string{g: "max-age=31536000", sharedSandbox(t): ""})
	// Outside a sandbox the reference is there to be read alone.
	page := fetched(t, "GET", g.BaseURL+"/docs/CreatePayment", "", nil)
	testenv.Check(t, page.status == 200 && !strings.Contains(page.raw, "<form"), "the reference: %s", page)
	g.ExternalPaymentsSecret = secret
	g.callback(t, "1", `{"status":"failed"}`).want(t, "a callback's plain signature", 401, "code", "signature_required")
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
