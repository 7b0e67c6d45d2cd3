package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"reflect"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// typedCard is the body of a valid card, changed by more.
func typedCard(pan string, more object) string {
	fields := object{"pan": pan, "expMonth": "12", "expYear": "2035", "cvv": "123"}
	maps.Copy(fields, more)
	for name, value := range fields {
		if value == nil {
			delete(fields, name)
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// cardPayment creates a payment of 100 AZN by quasi_ecom and returns its answer and its link's
// token.
func (g *instance) cardPayment(t testing.TB, more object) (answer, string) {
	t.Helper()
	fields := object{"method": "quasi_ecom", "currency": "AZN", "amount": "100"}
	maps.Copy(fields, more)
	got := g.create(t, g.box(t, "sandbox-azn"), fields)
	return got, path.Base(got.text("data.checkoutUrl"))
}

// checkout calls a step of a checkout; an empty step reads it.
func (g *instance) checkout(t testing.TB, token, step, body string) answer {
	t.Helper()
	method, address := http.MethodPost, g.BaseURL+"/api/v1/checkout/"+token+"/"+step
	if step == "" {
		method, address = http.MethodGet, strings.TrimSuffix(address, "/")
	}
	got := send(t, method, address, body, nil)
	if got.header.Get("Access-Control-Allow-Origin") != "*" ||
		got.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%s: CORS headers %v", step, got.header)
	}
	return got
}

// awaitCheckout waits until a field of a checkout has a value.
func (g *instance) awaitCheckout(t testing.TB, token, field, value string) answer {
	t.Helper()
	var got answer
	noError(t, testenv.Eventually(func() error {
		if got = g.checkout(t, token, "", ""); got.text("data."+field) != value {
			return fmt.Errorf("%s; want %s %s", got, field, value)
		}
		return nil
	}))
	return got
}

// declineTwo enters a card that is declined, twice: after each the payment waits for another.
func (g *instance) declineTwo(t testing.TB, token, pan, lastError string) {
	t.Helper()
	for range 2 {
		if got := g.checkout(t, token, "payer-details", typedCard(pan, nil)); got.status != 200 ||
			got.at("data.lastError") != nil {
			t.Fatalf("card: %s", got)
		}
		got := g.awaitCheckout(t, token, "lastError", lastError)
		if got.text("data.phase") != "awaiting_payer_details" || got.text("data.paymentStatus") != "pending" ||
			got.text("data.isTerminal") != "false" {
			t.Fatalf("a declined card: %s", got)
		}
	}
}

// 100 / 1.70 = 58.82352941, 100 / 1.7765 = 56.29045876.
func TestCardCreateResponses(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	got, token := g.cardPayment(t, object{"orderId": orderID})
	g.golden(t, "create_quasi_ecom", got, orderID)
	if token == got.text("data.id") || token == got.text("data.uuid") {
		t.Error("the link's token is an id")
	}
	orderID = newOrder()
	g.golden(t, "create_mtstpay", g.create(t, g.first(), object{"method": "mtstpay", "orderId": orderID}), orderID)
}

// What the sandbox's cards come to, with and without codes.
func TestSandboxCards(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for name, test := range map[string]struct {
		pan string
		// codes are given one after the other, whenever one is asked for; the phase and lastError
		// after each.
		codes, after []string
		status       string
		reason       any
		lastError    string
	}{
		"approved":        {"4242 4242 4242 4242", nil, nil, "completed", nil, "<nil>"},
		"approved too":    {"5555555555554444", nil, nil, "completed", nil, "<nil>"},
		"declined":        {"4000-0000-0000-0002", nil, nil, "failed", "card_declined", "card_declined"},
		"no funds":        {"4000000000009995", nil, nil, "failed", "insufficient_funds", "insufficient_funds"},
		"right code":      {"4000002500003155", []string{"123456"}, []string{"completed <nil>"}, "completed", nil, "<nil>"},
		"second is right": {"4000002500003155", []string{"654321", "123456"}, []string{"pending code_rejected", "completed <nil>"}, "completed", nil, "<nil>"},
		"three wrong": {
			"4000002500003155", []string{"1111", "22222222", "123457"},
			[]string{"pending code_rejected", "pending code_rejected", "failed code_rejected"}, "failed", "code_rejected", "code_rejected",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created, token := g.cardPayment(t, nil)
			if test.reason != nil && test.codes == nil {
				g.declineTwo(t, token, test.pan, test.lastError)
			}
			g.checkout(t, token, "payer-details", typedCard(test.pan, nil)).
				must(t, "card", 200, "data.phase", "awaiting_trader_bank_sms")
			for i, code := range test.codes {
				g.awaitCheckout(t, token, "phase", "awaiting_payer_otp")
				got := g.checkout(t, token, "payer-otp", fmt.Sprintf(`{"otp":%q}`, code))
				if after := got.text("data.paymentStatus") + " " + got.text("data.lastError"); got.status != 200 ||
					after != test.after[i] {
					t.Errorf("code %d: %s; want %s", i+1, got, test.after[i])
				}
			}
			got := g.awaitCheckout(t, token, "isTerminal", "true")
			if got.text("data.paymentStatus") != test.status || got.text("data.lastError") != test.lastError ||
				got.at("data.otpUrl") != nil {
				t.Errorf("ended %s", got)
			}
			read := send(t, "GET", g.BaseURL+payments+"/"+created.text("data.id"), "",
				signed(g.box(t, "sandbox-azn"), ""))
			if read.text("data.status") != test.status || read.at("data.statusReason") != test.reason ||
				!reflect.DeepEqual(
					read.at("data.payerRequisites"),
					object{"cardLast4": test.pan[len(test.pan)-4:]},
				) || read.at("data.requisite") != nil {
				t.Errorf("read %s", read)
			}
		})
	}
}

// The documented bodies, headers and refusals of the checkout's endpoints.
func TestCheckoutBodies(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	s := newShop(t, g.box(t, "sandbox-azn").WebhookSecret)
	_, token := g.cardPayment(t, object{"orderId": "shop-order-01"})
	g.golden(t, "checkout_card",
		g.checkout(t, token, "payer-details", typedCard("4111111111111111", object{"cardHolder": "ANNA B"})), "")
	g.checkout(t, token, "payer-otp", `{}`).want(t, "without a code", 200, "data.phase", "awaiting_trader_bank_sms")
	g.checkout(t, token, "payer-details", typedCard("4111111111111111", nil)).
		want(t, "a second card", 422, "code", "checkout_wrong_step")
	_, declined := g.cardPayment(t, object{"orderId": "shop-order-02"})
	g.declineTwo(t, declined, "4000000000009995", "insufficient_funds")
	g.checkout(t, declined, "payer-details", typedCard("4000000000000002", nil))
	g.golden(t, "checkout_declined", g.awaitCheckout(t, declined, "isTerminal", "true"), "")

	orderID := newOrder()
	_, cancelled := g.cardPayment(t, object{"orderId": orderID, "callbackUri": s.URL})
	g.checkout(t, cancelled, "payer-details", typedCard("4111111111111111", object{"cardHolder": "ANNA B"}))
	got := g.checkout(t, cancelled, "cancel", "")
	got.want(t, "cancel", 200, "data.paymentStatus", "cancelled", "data.isTerminal", "true")
	e := s.await(t, orderID, 1)[0]
	if e.Data.Status != "CANCELLED" ||
		!strings.Contains(s.rawOf(e.EventID), `"payerRequisites":{"cardLast4":"1111","cardHolder":"ANNA B"}`) {
		t.Errorf("webhook %s", s.rawOf(e.EventID))
	}
	for _, step := range []string{"payer-details", "payer-otp", "cancel"} {
		body := map[string]string{"payer-details": typedCard("4111111111111111", nil), "payer-otp": `{"otp":"1234"}`}[step]
		g.checkout(t, cancelled, step, body).want(t, step+" after the end", 422, "code", "checkout_closed")
	}
}

// rawOf is an event as it came.
func (s *shop) rawOf(eventID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw[eventID]
}

// Errors of every kind carry the CORS headers, and preflights are answered.
func TestCheckoutCORS(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for _, test := range []struct {
		method, path, body string
		headers            header
		status             int
	}{
		{"GET", "/api/v1/checkout/nonsense", "", nil, 404},
		{"POST", "/api/v1/checkout/nonsense/payer-details", `{}`, nil, 404},
		{"POST", "/api/v1/checkout/nonsense/nothing", `{}`, nil, 404},
		{"DELETE", "/api/v1/checkout/nonsense", "", nil, 405},
		{"POST", "/api/v1/checkout/nonsense/cancel", strings.Repeat(" ", 70_000), nil, 413},
		{"POST", "/api/v1/checkout/nonsense/cancel", "x", header{"Content-Type": "text/plain"}, 415},
	} {
		headers := header{"Origin": "https://shop.example"}
		maps.Copy(headers, test.headers)
		got := send(t, test.method, g.BaseURL+test.path, test.body, headers)
		if got.status != test.status || got.header.Get("Access-Control-Allow-Origin") != "*" ||
			got.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s %s: %s %v", test.method, test.path, got, got.header)
		}
	}
	preflight := header{
		"Origin":                         "https://shop.example",
		"Access-Control-Request-Method":  "POST",
		"Access-Control-Request-Headers": "content-type",
	}
	got := fetched(t, http.MethodOptions, g.BaseURL+"/api/v1/checkout/any/payer-details", "", preflight)
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "POST") ||
		!strings.Contains(strings.ToLower(got.header.Get("Access-Control-Allow-Headers")), "content-type") ||
		got.header.Get("X-Request-Id") == "" {
		t.Errorf("preflight: %s %v", got, got.header)
	}
	// Signed endpoints are for no page.
	got = fetched(t, http.MethodOptions, g.BaseURL+payments, "", preflight)
	if got.status != 405 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of a signed path: %s %v", got, got.header)
	}
}
