package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

func (g *instance) credentials(cashboxID any) string {
	return g.BaseURL + fmt.Sprintf("/api/merchant-portal/merchant-cashboxes/%v/api-credentials", cashboxID)
}

// A merchant lists, makes, uses and revokes the keys of a cashbox.
func TestCredentials(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	replica := setup{dir: copyKey(t, g.dir), database: g.DatabaseURL}.start(t)
	portal := bearer(g.user(t, "merchant").Token)
	list := g.credentials(g.first().MerchantCashboxID)
	g.golden(t, "credentials", send(t, "GET", list, "", portal), "")

	made := send(t, "POST", list, `{"name":" Web shop\n"}`, portal)
	secret, keyID, id := made.text("secret"), made.text("data.key_id"), made.text("data.id")
	keepSecret(secret)
	made.must(t, "", 201)
	g.golden(t, "credential", made, "")
	var kept []byte
	noError(
		t,
		g.pool.QueryRow(t.Context(), "select secret_hash from api_key where key_id = $1 and secret_hash = sha256($2)", keyID, []byte(secret)).
			Scan(&kept),
	)
	for _, table := range []string{"api_key", "setting_change"} {
		if n := g.count(t,
			fmt.Sprintf("select count(*) from %[1]s where to_jsonb(%[1]s)::text like '%%' || $1 || '%%'", table),
			secret); n != 0 {
			t.Errorf("%s holds the secret", table)
		}
	}
	box := sandbox.Cashbox{KeyID: keyID, Secret: secret}
	g.create(t, box, nil)
	replica.create(t, box, nil)
	g.post(t, box, order(object{"currency": "TRY", "method": "c2c"})).want(t, "the key's cashbox takes no TRY", 403)
	listed := send(t, "GET", list, "", portal)
	if listed.raw == "" || strings.Contains(listed.raw, secret) ||
		!strings.HasPrefix(listed.raw, `{"data":[{"id":`+id+`,`) {
		t.Errorf("listed %s", listed)
	}

	var at string
	for range 2 { // revoking again changes nothing
		revoked := send(t, "DELETE", list+"/"+id, "", portal)
		if revoked.status != 200 || revoked.text("data.status") != "revoked" || revoked.text("data.key_id") != keyID ||
			revoked.at("secret") != nil ||
			!timeFormat.MatchString(revoked.text("data.revoked_at")) ||
			at != "" && at != revoked.text("data.revoked_at") {
			t.Errorf("revoked %s", revoked)
		}
		at = revoked.text("data.revoked_at")
	}
	for _, one := range []*instance{g, replica} {
		one.awaitKey(t, box, true, http.StatusForbidden)
		one.post(t, box, order(nil)).want(t, "the revoked key", 403, "code", "invalid_signature")
	}
}

// A merchant with a key from before moves over to keys of its cashbox.
func TestLegacyCredentials(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	legacy := g.LegacyKeys[0]
	portal, list := bearer(g.user(t, "merchant-legacy").Token), g.credentials(*legacy.MerchantCashboxID)
	before := send(t, "GET", list, "", portal)
	g.golden(t, "credentials_legacy", before, "")
	key := sandbox.Cashbox{KeyID: legacy.KeyID, Secret: legacy.Secret}
	g.create(t, key, nil) // goes to the one cashbox there is
	wantLegacy := func(want string) {
		t.Helper()
		if got := send(t, "GET", list, "", portal); !strings.HasSuffix(got.raw, `"legacy":`+want+"}") {
			t.Errorf("%s; want %s", got, want)
		}
	}
	keepSecret(send(t, "POST", list, `{"name":"new","scopes":["payments","deposits"]}`, portal).text("secret"))
	wantLegacy(
		`{"exists":true,"source":"merchant","has_active_new_credential":true,"fallback_enabled":true,"can_be_removed":true}`,
	)
	g.exec(t, "update cashbox set collect_enabled = false where id = $1", *legacy.MerchantCashboxID)
	wantLegacy(
		`{"exists":true,"source":"merchant","has_active_new_credential":true,"fallback_enabled":false,"can_be_removed":true}`,
	)
	id := fmt.Sprint(before.body["data"].([]any)[0].(object)["id"])
	send(t, "DELETE", list+"/"+id, "", portal).want(t, "revoked", 200, "data.status", "revoked")
	wantLegacy(
		`{"exists":false,"source":null,"has_active_new_credential":true,"fallback_enabled":false,"can_be_removed":false}`,
	)
	// A key of no merchant proves who calls, and opens nothing.
	alone := g.box(t, g.LegacyKeys[1].KeyID)
	g.post(t, alone, "{").want(t, "create", 403, "code", "merchant_binding_required")
	for _, path := range []string{payments + "/1", payments + "?orderId=x"} {
		send(t, "GET", g.BaseURL+path, "", signed(alone, "")).want(t, path, 403, "code", "merchant_binding_required")
	}
}

func (g *instance) keyRow(t *testing.T, keyID string) string {
	t.Helper()
	return g.texts(t, "select id::text from api_key where key_id = $1", keyID)[0]
}

// Connect's twins, with the longest name and every scope.
func TestCredentialsByConnect(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	own := g.first().MerchantCashboxID
	for codec, options := range codecs {
		service := portalv1connect.NewCredentialServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL,
			options...)
		name := strings.Repeat("ж", 100)
		made := called(t, service.CreateCredential, &portalv1.CreateCredentialRequest{
			MerchantCashboxId: own, Name: name, Scopes: []string{"payouts", "payments", "deposits", "payouts"},
		})
		keepSecret(made.GetSecret())
		key := made.GetData()
		if key.GetName() != name || !slices.Equal(key.GetScopes(), []string{"payments", "deposits", "payouts"}) ||
			made.GetSecret() == "" {
			t.Errorf("%s: made %v", codec, key)
		}
		list := called(t, service.ListCredentials, &portalv1.ListCredentialsRequest{MerchantCashboxId: own})
		if first := list.GetData()[0]; first.GetId() != key.GetId() || !list.GetLegacy().GetHasActiveNewCredential() {
			t.Errorf("%s: listed %v", codec, list)
		}
		gone := called(t, service.RevokeCredential,
			&portalv1.RevokeCredentialRequest{MerchantCashboxId: own, CredentialId: key.GetId()})
		if gone.GetData().GetStatus() != "revoked" {
			t.Errorf("%s: revoked %v", codec, gone)
		}
		invalid(
			t,
			codec,
			service.CreateCredential,
			&portalv1.CreateCredentialRequest{MerchantCashboxId: own, Scopes: []string{"a\x00b"}},
			"name",
			"scopes",
			"scopes[0]",
		)
		refuses(t, codec, service.ListCredentials, &portalv1.ListCredentialsRequest{}, connect.CodeNotFound,
			"not_found")
		stranger := portalv1connect.NewCredentialServiceClient(withToken(g.user(t, "operator").Token), g.BaseURL,
			options...)
		refuses(t, codec, stranger.ListCredentials, &portalv1.ListCredentialsRequest{MerchantCashboxId: own},
			connect.CodePermissionDenied, "merchant_portal_token_required")
	}
}
