package acceptance

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// bareRequest sends just that.
func bareRequest(method, path, body string, headers header) call {
	return request(method, path, body, func(*testing.T, *instance) header { return headers })
}

// endpointHeading is that of an endpoint, and whether it is signed.
var endpointHeading = regexp.MustCompile(`^(GET|POST) (/\S+)( \(signed\))?$`)

type documented struct {
	method, path string
	signed       bool
}

// endpoints are all that the document has.
func endpoints(t *testing.T) []documented {
	t.Helper()
	var all []documented
	for _, s := range statements(t, "interface.md") {
		found := endpointHeading.FindStringSubmatch(s.heading)
		if found == nil {
			continue
		}
		if one := (documented{found[1], found[2], found[3] != ""}); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	if len(all) != 16 {
		t.Fatalf("the document has %d endpoints: %v", len(all), all)
	}
	return all
}

// everyEndpointIsDescribed: the machine-readable description has each, under the documented
// prefixes.
func everyEndpointIsDescribed(t *testing.T, w *instance) {
	paths := nobodyGets("/openapi.json")(t, w).at("paths").(object)
	parameter := regexp.MustCompile(`\{\w+\}`)
	described := map[string]bool{}
	for path, methods := range paths {
		for method := range methods.(object) {
			described[strings.ToUpper(method)+" "+parameter.ReplaceAllString(path, "{}")] = true
		}
	}
	for _, e := range endpoints(t) {
		if !described[e.method+" "+parameter.ReplaceAllString(e.path, "{}")] {
			t.Errorf("not described: %s %s", e.method, e.path)
		}
		if !strings.HasPrefix(e.path, "/api/v1/") && !strings.HasPrefix(e.path, "/api/merchant-portal/") {
			t.Errorf("another prefix: %s", e.path)
		}
	}
}

// addresses: pages live elsewhere than the API.
func addresses(t *testing.T, w *instance) {
	page, checkout := w.fixture(t, "payment").text("data.paymentPageUrl"),
		w.fixture(t, "quasi_ecom").text("data.checkoutUrl")
	if strings.HasSuffix(w.BaseURL, "/") || w.PayURL == w.BaseURL || !strings.HasPrefix(page, w.PayURL+"/r/") ||
		!strings.HasPrefix(checkout, w.PayURL+"/pay/") {
		t.Errorf("API %s, pages %s, a page %s, a checkout %s", w.BaseURL, w.PayURL, page, checkout)
	}
}

// signedEndpointsWantHeaders: each of the three, on each signed endpoint, in this order.
func signedEndpointsWantHeaders(t *testing.T, w *instance) {
	for _, e := range endpoints(t) {
		if !e.signed {
			continue
		}
		body := ""
		if e.method == http.MethodPost {
			body = "{}"
		}
		headers := signed(w.first(), body)
		if strings.HasSuffix(e.path, "/appeal") {
			headers = appealHeaders(w.first(), "", "", 0)
		}
		for _, lacking := range []struct {
			names  []string
			status int
			code   string
		}{
			{[]string{"Signature"}, 401, "signature_required"},
			{[]string{"X-Merchant-Key-Id"}, 403, "merchant_key_id_required"},
			{[]string{"X-Merchant-Secret"}, 403, "merchant_secret_required"},
			{[]string{"Signature", "X-Merchant-Key-Id", "X-Merchant-Secret"}, 401, "signature_required"},
			{[]string{"X-Merchant-Key-Id", "X-Merchant-Secret"}, 403, "merchant_key_id_required"},
		} {
			sent := headers
			for _, name := range lacking.names {
				sent = with(sent, name, "")
			}
			refused(bareRequest(e.method, e.path, body, sent), lacking.status, lacking.code).run(t, w)
		}
	}
}

// signedByHand: the hex of the HMAC, in small letters or capitals.
func signedByHand(t *testing.T, w *instance) {
	for _, spell := range []func(string) string{strings.ToLower, strings.ToUpper} {
		body := newPayment.body()
		headers := with(signed(w.first(), body), "Signature", spell(signature(w.first().Secret, body)))
		gives(bareRequest(http.MethodPost, payments, body, headers), 200).run(t, w)
	}
}

func onlyTheHashIsKept(t *testing.T, w *instance) {
	secret := w.first().Secret
	if n := w.count(t, "select count(*) from api_key where key_id = $1 and secret_hash = sha256($2)", firstKey,
		[]byte(secret)); n != 1 {
		t.Error("the SHA-256 is not kept")
	}
	if n := w.count(t, "select count(*) from api_key where to_jsonb(api_key)::text like '%' || $1 || '%'",
		secret); n != 0 {
		t.Error("the secret is kept")
	}
}

// sentAs sends a body that is signed as another text.
func sentAs(body, signedText string) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		return send(t, http.MethodPost, w.BaseURL+payments, body, signed(w.first(), signedText))
	}
}

// spelled is a creation as people write it, and its canonical form.
func spelled(orderID string) (sent, canonical string) {
	sent = fmt.Sprintf(
		"{ \"orderId\" : %q,\n \"description\":\"\\u0427\\/\\u0430\", \"amount\":100.10, \"currency\":\"RUB\",\"method\":\"sbp\", "+
			"\"callbackUri\":\"https:\\/\\/shop.example\\/\" }",
		orderID,
	)
	canonical = fmt.Sprintf(
		`{"orderId":%q,"description":"Ч/а","amount":100.10,"currency":"RUB","method":"sbp","callbackUri":"https://shop.example/"}`,
		orderID,
	)
	return sent, canonical
}

func canonicalIsTaken(t *testing.T, w *instance) {
	sent, canonical := spelled(newOrder())
	for _, signedText := range []string{sent, canonical, strings.Replace(canonical, "100.10", "100.1", 1)} {
		gives(sentAs(sent, signedText), 200, is("data.amount", "100.10"), is("data.description", "Ч/а")).run(t, w)
	}
}

// otherBytesAreNot: a body signed with other spaces or fields in another order than it is sent
// with.
func otherBytesAreNot(t *testing.T, w *instance) {
	sent, canonical := spelled(newOrder())
	refused(sentAs(canonical, sent), 403, "invalid_signature").run(t, w)
	refused(sentAs(canonical+" ", canonical+"  "), 403, "invalid_signature").run(t, w)
	moved := strings.Replace(canonical, `"amount":100.10,"currency":"RUB"`, `"currency":"RUB","amount":100.10`, 1)
	refused(sentAs(moved, canonical), 403, "invalid_signature").run(t, w)
}

// getSignsNothing: the HMAC of the empty string, and of nothing else.
func getSignsNothing(t *testing.T, w *instance) {
	for _, e := range endpoints(t) {
		if !e.signed || e.method != http.MethodGet {
			continue
		}
		headers := with(signed(w.first(), ""), "Signature", signature(w.first().Secret, ""))
		gives(bareRequest(e.method, e.path, "", headers), 200).run(t, w)
		for _, text := range []string{"{}", " ", e.path} {
			refused(bareRequest(e.method, e.path, "", with(headers, "Signature", signature(w.first().Secret, text))),
				403, "invalid_signature").run(t, w)
		}
	}
}

func appealSignsFourLines(t *testing.T, w *instance) {
	id := w.failed(t, nil)
	const reason, name = "Оплачено\nв 12:00", "чек.pdf"
	form := form(reasonPart(reason), filePart(name, pdf))
	signedAs := func(text string) call {
		headers := with(appealHeaders(w.first(), reason, name, len(pdf)), "Signature",
			signature(w.first().Secret, text))
		return bareRequest(http.MethodPost, payments+"/"+id+"/appeal", form, headers)
	}
	lines := []string{"appeal-v1", reason, name, strconv.Itoa(len(pdf))}
	for _, wrong := range []string{
		strings.Join(lines, "\r\n"), strings.Join(lines, "\n") + "\n", strings.Join(lines[:3], "\n"), strings.Join(lines[1:], "\n"), form, "",
		strings.Join([]string{"appeal-v1", name, reason, lines[3]}, "\n"), strings.Join([]string{"appeal-v1", reason, name, "10"}, "\n"),
	} {
		refused(signedAs(wrong), 403, "invalid_signature").run(t, w)
	}
	gives(signedAs(strings.Join(lines, "\n")), 201, is("data.reason", reason), is("data.fileName", name)).run(t, w)
}

// headersAreConfigurable: a gateway with names of its own knows no others. Having no requisite it
// refuses later on.
func headersAreConfigurable(t *testing.T, _ *instance) {
	keepSecret("an application's secret, long enough to be one")
	g, box := live(t, map[string]string{
		"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "an application's secret, long enough to be one",
		"GATEWAY_HEADER_KEY_ID":            "X-Shop-Key",
		"GATEWAY_HEADER_SECRET":            "X-Shop-Secret",
		"GATEWAY_HEADER_SIGNATURE":         "X-Shop-Signature",
	})
	body := order(nil)
	own := header{"X-Shop-Key": box.KeyID, "X-Shop-Secret": box.Secret, "X-Shop-Signature": signature(box.Secret, body)}
	if got := send(t, http.MethodPost, g.BaseURL+payments, body,
		own); got.text("code") != "collect_requisites_not_available" {
		t.Errorf("its own names: %s", got)
	}
	g.post(t, box, body).want(t, "the default names", 401, "code", "signature_required")
}

// withoutApplicationSecret: such a gateway starts, warns, and creates nothing.
func withoutApplicationSecret(t *testing.T, _ *instance) {
	g, box := live(t, nil)
	g.stderr.await(t, `"WARN"`, "GATEWAY_EXTERNAL_PAYMENTS_SECRET")
	g.post(t, box, order(nil)).want(t, "create", 503, "code", "external_payments_secret_not_configured")
	g.callback(t, "1", `{"status":"failed"}`).
		want(t, "callback", 503, "code", "external_payments_secret_not_configured")
	// Who calls is settled first.
	send(t, "POST", g.BaseURL+payments, "{}",
		with(signed(box, "{}"), "X-Merchant-Secret", "wrong")).want(t, "with a wrong secret", 403)
	noSandbox(t, g)
}

// callbackOf sends a status as the application.
func callbackOf(id, body string) call {
	return request(http.MethodPost, payments+"/"+id+"/callback", body,
		func(_ *testing.T, w *instance) header { return w.application(body) })
}

// loginGivesToken: what it answers opens the portal.
func loginGivesToken(t *testing.T, w *instance) {
	user := w.user(t, "merchant")
	got := fetched(t, http.MethodPost, w.BaseURL+"/portal.v1.AuthService/Login",
		fmt.Sprintf(`{"login":%q,"password":%q}`, user.Login, user.Password), nil)
	keepSecret(got.text("token"))
	if got.status != 200 || got.text("kind") != "merchant_portal" {
		t.Fatal(got.status, got.text("kind"))
	}
	gives(bareRequest(http.MethodGet, portalKeys, "", bearer(got.text("token"))), 200).run(t, w)
}
