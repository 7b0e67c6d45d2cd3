package acceptance

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

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
	testenv.Check(t, got.header.Get("Access-Control-Allow-Origin") == "*" &&
		got.header.Get("Access-Control-Allow-Credentials") == "", "%s: CORS headers %v", step, got.header)
	return got
}

// savedCard is how the page of a payment names the card that it has filled in.
func (g *instance) savedCard(t testing.TB, token string) string {
	t.Helper()
	card, there := fetched(t, http.MethodGet, g.PayURL+"/pay/"+token, "", nil).part(`/name="card" value="([^"]+)"/`)
	testenv.Need(t, there, "no card is filled in")
	return card.(string)
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
