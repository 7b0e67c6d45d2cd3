package acceptance

import (
	"net/url"
	"testing"
)

// Behind a proxy the limits of addresses count clients, on the API and on the pages.
func TestBehindProxy(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t, "-trusted-proxies", "127.0.0.1")
	for _, client := range []string{"198.51.100.1", "198.51.100.2", "198.51.100.2"} {
		_, token := g.cardPayment(t, nil)
		got := send(t, "POST", g.BaseURL+"/api/v1/checkout/"+token+"/payer-details", typedCard("4242424242424242", nil),
			header{"X-Forwarded-For": client})
		got.want(t, client, 200)
	}
	_, token := g.cardPayment(t, nil)
	form := url.Values{"pan": {"4242424242424242"}, "expiry": {"12/35"}, "cvv": {"123"}}
	submitted(t, g.PayURL, "/pay/"+token+"/card", form, header{"X-Forwarded-For": "198.51.100.3"})
	if n := g.count(t, "select count(distinct source) from card_attempt"); n != 3 {
		t.Errorf("%d clients seen, want 3", n)
	}
}
