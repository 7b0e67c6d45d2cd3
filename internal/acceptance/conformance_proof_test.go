package acceptance

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
)

// proofs are what takes more than calls, by their names, which interface.txt and decisions.txt have.
var proofs = byName(
	callsAreLimited, everyEndpointIsDescribed, getSignsNothing, headersAreConfigurable, refusedWebhookComesAgain,
	signedEndpointsWantHeaders, webhookIsAPost, webhooksAreSigned, withoutApplicationSecret,
)

func byName(all ...func(t *testing.T, w *instance)) map[string]func(t *testing.T, w *instance) {
	named := map[string]func(t *testing.T, w *instance){}
	for _, proof := range all {
		name := runtime.FuncForPC(reflect.ValueOf(proof).Pointer()).Name()
		named[name[strings.LastIndex(name, ".")+1:]] = proof
	}
	return named
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
	testenv.Need(t, len(all) == 16, "the document has %d endpoints: %v", len(all), all)
	return all
}

// everyEndpointIsDescribed: the machine-readable description has each, under the documented
// prefixes.
func everyEndpointIsDescribed(t *testing.T, w *instance) {
	parameter := regexp.MustCompile(`\{\w+\}`)
	described := map[string]bool{}
	description := send(t, http.MethodGet, w.BaseURL+"/openapi.json", "", nil)
	for path, methods := range description.at("paths").(object) {
		for method := range methods.(object) {
			described[strings.ToUpper(method)+" "+parameter.ReplaceAllString(path, "{}")] = true
		}
	}
	for _, e := range endpoints(t) {
		testenv.Check(t, described[e.method+" "+parameter.ReplaceAllString(e.path, "{}")],
			"not described: %s %s", e.method, e.path)
		testenv.Check(t, strings.HasPrefix(e.path, "/api/v1/") || strings.HasPrefix(e.path, "/api/merchant-portal/"),
			"another prefix: %s", e.path)
	}
}

// signedEndpointsWantHeaders: each of the three, on each signed endpoint, in this order.
func signedEndpointsWantHeaders(t *testing.T, w *instance) {
	for _, e := range endpoints(t) {
		caller, body := "key sandbox-rub", ""
		if e.method == http.MethodPost {
			body = "{}"
		}
		if strings.HasSuffix(e.path, "/appeal") {
			caller = "appeal sandbox-rub"
		}
		for _, lacking := range []string{
			"Signature|401 signature_required",
			"X-Merchant-Key-Id|403 merchant_key_id_required",
			"X-Merchant-Secret|403 merchant_secret_required",
			"Signature + no X-Merchant-Key-Id + no X-Merchant-Secret|401 signature_required",
			"X-Merchant-Key-Id + no X-Merchant-Secret|403 merchant_key_id_required",
		} {
			names, answer, _ := strings.Cut(lacking, "|")
			if e.signed {
				w.does(t, caller+" + no "+names+" | "+e.method+" "+e.path+" | "+body+" | "+answer)
			}
		}
	}
}

// getSignsNothing: the HMAC of the empty string, and of nothing else.
func getSignsNothing(t *testing.T, w *instance) {
	for _, e := range endpoints(t) {
		if e.signed && e.method == http.MethodGet {
			w.does(t, "key sandbox-rub + signs | GET "+e.path+" | | 200")
			for _, text := range []string{"{}", "<20>", e.path} {
				w.does(t, "key sandbox-rub + signs "+text+" | GET "+e.path+" | | 403 invalid_signature")
			}
		}
	}
}

// headersAreConfigurable: a gateway with names of its own knows no others. Having no requisite it
// refuses later on.
func headersAreConfigurable(t *testing.T, _ *instance) {
	const secret = "an application's secret, long enough to be one"
	keepSecret(secret)
	g, box := live(t, map[string]string{
		"GATEWAY_EXTERNAL_PAYMENTS_SECRET": secret, "GATEWAY_HEADER_KEY_ID": "X-Shop-Key",
		"GATEWAY_HEADER_SECRET": "X-Shop-Secret", "GATEWAY_HEADER_SIGNATURE": "X-Shop-Signature",
	})
	body := order(nil)
	own := header{"X-Shop-Key": box.KeyID, "X-Shop-Secret": box.Secret, "X-Shop-Signature": signature(box.Secret, body)}
	send(t, http.MethodPost, g.BaseURL+payments, body, own).
		want(t, "its own names", 422, "code", "collect_requisites_not_available")
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

// told makes a payment, has it fail, and returns the webhook of that.
func (w *instance) told(t *testing.T) letter {
	t.Helper()
	orderID := newOrder()
	id := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL}).text("data.id")
	w.callback(t, id, `{"status":"failed"}`).must(t, "callback", 200)
	return w.inbox.letters(t, orderID, 1)[0]
}

func webhookIsAPost(t *testing.T, w *instance) {
	told := w.told(t)
	testenv.Check(t, told.method == http.MethodPost &&
		strings.HasPrefix(told.header.Get("Content-Type"), "application/json") &&
		told.header.Get("Webhook-Id") == told.text("eventId"), "%s %v %s", told.method, told.header, told.raw)
	testenv.Want(t, told.lacking("data only uuid orderId status amount currency"), "", "the webhook")
}

// webhooksAreSigned by both schemes.
func webhooksAreSigned(t *testing.T, w *instance) {
	told, secret := w.told(t), w.first().WebhookSecret
	verifier := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
	noError(t, verifier.Verify([]byte(told.raw), told.header))
	key := testenv.Must(base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")))(t)
	testenv.Want(t, told.header.Get("Signature"), signature(string(key), told.raw), "Signature")
}

// refusedWebhookComesAgain after 5 s, the same event.
func refusedWebhookComesAgain(t *testing.T, w *instance) {
	shop, orderID := newShop(t, "", http.StatusInternalServerError), newOrder()
	made := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": shop.URL})
	w.callback(t, made.text("data.id"), `{"status":"failed"}`)
	testenv.Until(t, "the refusal is written down", func() bool {
		return w.count(t, `select count(*) from webhook_attempt a join webhook_event e on e.id = a.event_id
			where e.url = $1 and a.status_code = 500`, shop.URL) != 0
	})
	testenv.Want(t, len(shop.letters(t, orderID, 1)), 1, "deliveries before the time")
	w.advance(t, 6*time.Second)
	both := shop.letters(t, orderID, 2)
	testenv.Want(t, both[1].raw, both[0].raw, "the second delivery")
}

// callsAreLimited to ten, where that is the limit.
func callsAreLimited(t *testing.T, _ *instance) {
	plan := fresh(t)
	altered(t, plan.database, "update rate_limit set calls = 10, per_seconds = 3600 where name = 'key'")
	g := plan.start(t)
	for n := range 10 {
		g.post(t, g.first(), "{").want(t, fmt.Sprint("call ", n), 422, "code", "validation_failed")
	}
	g.does(t, "key sandbox-rub | POST "+payments+" | { | 429 rate_limited; header Retry-After: <id text>")
}
