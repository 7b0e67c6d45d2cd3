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
	alone := sandbox.Cashbox{KeyID: g.LegacyKeys[1].KeyID, Secret: g.LegacyKeys[1].Secret}
	g.post(t, alone, "{").want(t, "create", 403, "code", "merchant_binding_required")
	for _, path := range []string{payments + "/1", payments + "?orderId=x"} {
		send(t, "GET", g.BaseURL+path, "", signed(alone, "")).want(t, path, 403, "code", "merchant_binding_required")
	}
}

// Every wrong call is refused by its code, and makes no key and ends none.
func TestCredentialRefusals(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	own, portal := g.first().MerchantCashboxID, bearer(g.user(t, "merchant").Token)
	foreign := g.box(t, "sandbox-second-rub").MerchantCashboxID
	const keys = "select string_agg(key_id || ' ' || coalesce(revoked_at::text, '-'), ',' order by id) from api_key"
	before := g.texts(t, keys)[0]
	ownID, foreignID := g.keyRow(t, "sandbox-rub"), g.keyRow(t, "sandbox-second-rub")
	elsewhereID := g.keyRow(t, "sandbox-azn")
	for _, test := range []struct {
		cashbox any
		headers header
		status  int
		code    string
	}{
		{own, nil, 401, "unauthenticated"}, {own, bearer("nonsense"), 401, "unauthenticated"}, {own, signed(g.first(), ""), 401, "unauthenticated"},
		{own, bearer(g.user(t, "payer").Token), 403, "merchant_portal_token_required"},
		{own, bearer(g.user(t, "trader-1").Token), 403, "merchant_portal_token_required"},
		{own, bearer(g.user(t, "operator").Token), 403, "merchant_portal_token_required"},
		{foreign, portal, 403, "cashbox_access_denied"}, {9999, portal, 404, "not_found"}, {0, portal, 404, "not_found"}, {-1, portal, 404, "not_found"},
		{"x", portal, 404, "not_found"}, {"01", portal, 404, "not_found"}, {"9223372036854775808", portal, 404, "not_found"}, {"%00", portal, 404, "not_found"},
	} {
		for _, call := range []struct{ method, path, body string }{
			{"GET", "", ""}, {"POST", "", `{"name":1}`}, {"DELETE", "/" + ownID, ""}, {"DELETE", "/" + foreignID, ""},
		} {
			got := send(t, call.method, g.credentials(test.cashbox)+call.path, call.body, test.headers)
			got.want(t, fmt.Sprintf("%s %v%s", call.method, test.cashbox, call.path), test.status, "code", test.code)
		}
	}
	for _, id := range []string{foreignID, elsewhereID, g.keyRow(t, "sandbox-legacy"), g.keyRow(t, "sandbox-without-merchant"), "999999", "0", "-1", "x", "%00"} {
		send(t, "DELETE", g.credentials(own)+"/"+id, "", portal).want(t, "DELETE "+id, 404, "code", "not_found")
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		if got := send(t, method, g.credentials(own), "", portal); got.status != 405 ||
			got.header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: %s", method, got)
		}
	}
	badCredentials(t, g.credentials(own), portal)
	if after := g.texts(t, keys)[0]; after != before {
		t.Errorf("before: %s; after: %s", before, after)
	}
}

func (g *instance) keyRow(t *testing.T, keyID string) string {
	t.Helper()
	return g.texts(t, "select id::text from api_key where key_id = $1", keyID)[0]
}

// badCredentials are refused for exactly these fields.
func badCredentials(t *testing.T, address string, portal header) {
	all := map[string]bad{
		"nothing":        {"{}", []string{"name"}},
		"no name":        {`{"scopes":["payments"]}`, []string{"name"}},
		"null":           {`{"name":null}`, []string{"name"}},
		"empty":          {`{"name":""}`, []string{"name"}},
		"blank":          {`{"name":" \n"}`, []string{"name"}},
		"one past":       {`{"name":"` + strings.Repeat("ж", 101) + `"}`, []string{"name"}},
		"huge":           {`{"name":"` + strings.Repeat("x", 60_000) + `"}`, []string{"name"}},
		"name twice":     {`{"name":"a","name":"b"}`, []string{"name"}},
		"scopes twice":   {`{"name":"a","scopes":[],"scopes":[]}`, []string{"scopes"}},
		"unknown scope":  {`{"name":"a","scopes":["payments","admin"]}`, []string{"scopes"}},
		"other case":     {`{"name":"a","scopes":["Payments"]}`, []string{"scopes"}},
		"empty scope":    {`{"name":"a","scopes":[""]}`, []string{"scopes"}},
		"number":         {`{"name":"a","scopes":[1]}`, []string{"scopes[0]"}},
		"null in scopes": {`{"name":"a","scopes":["payments",null]}`, []string{"scopes[1]"}},
		"all wrong":      {`{"name":"","scopes":"payments"}`, []string{"name", "scopes"}},
	}
	for name, value := range notStrings {
		all["name "+name] = bad{`{"name":` + value + `}`, []string{"name"}}
	}
	for name, value := range flawed {
		all["name "+name] = bad{`{"name":` + value + `}`, []string{"name"}}
		all["scope "+name] = bad{`{"name":"a","scopes":[` + value + `]}`, []string{"scopes[0]"}}
	}
	for _, value := range []string{`"payments"`, "1", "true", "{}", "null"} {
		all["scopes "+value] = bad{`{"name":"a","scopes":` + value + `}`, []string{"scopes"}}
	}
	for name, b := range all {
		checkInvalid(t, name, send(t, "POST", address, b.body, portal), b.fields)
	}
	for name, body := range badBodies(`{"name":"a"}`) {
		checkBody(t, name, send(t, "POST", address, body, with(portal, "Content-Type", "application/json")))
	}
	send(t, "POST", address, `{"name":"a"}`, with(portal, "Content-Type", "text/plain")).want(t, "text", 415)
	send(t, "POST", address, pad(`{"name":"a"}`, bodyLimit+1),
		portal).want(t, "too large", 413, "code", "body_too_large")
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
		_, err := service.CreateCredential(t.Context(),
			connect.NewRequest(&portalv1.CreateCredentialRequest{MerchantCashboxId: own, Scopes: []string{"a\x00b"}}))
		if code, why, fields := connectFault(t,
			err); code != connect.CodeInvalidArgument || why != "validation_failed" ||
			!slices.Equal(fields, []string{"name", "scopes", "scopes[0]"}) {
			t.Errorf("%s: %s %s %v", codec, code, why, fields)
		}
		refuses(t, codec, service.ListCredentials, &portalv1.ListCredentialsRequest{}, connect.CodeNotFound,
			"not_found")
		stranger := portalv1connect.NewCredentialServiceClient(withToken(g.user(t, "operator").Token), g.BaseURL,
			options...)
		refuses(t, codec, stranger.ListCredentials, &portalv1.ListCredentialsRequest{MerchantCashboxId: own},
			connect.CodePermissionDenied, "merchant_portal_token_required")
	}
}
