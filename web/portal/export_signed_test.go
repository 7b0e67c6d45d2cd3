package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
)

// A merchant's user takes away what happened to a payment as a file that anybody can prove with the
// keys that are published.
func TestSignedTimeline(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	payment := b.create(t, "1500")
	p := b.as(t, caller.Support)
	path := fmt.Sprintf("/merchant/payments/%d", payment.ID)
	a := p.get(t, path+"/timeline.json")
	if a.code != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d %v", a.code, a.header)
	}
	published := b.nobody().get(t, "/.well-known/gateway-keys.json")
	keys, err := attest.ParseKeys([]byte(published.body))
	noError(t, err)
	want(t, "as it was sent", len(attest.Verify([]byte(a.body), keys)), 0)
	wantIn(t, "the page", a.body, `"callback_uri":"https://shop.example/hook"`, `"to":"pending"`,
		`"what":"rate_fixed"`, `"amount":"1500"`, payment.UUID.String())
	wantNot(t, "a merchant is told who the trader is", a.body, "trader_id\":"+fmt.Sprint(b.traders[0].ID))
	changed := strings.Replace(a.body, `"amount":"1500"`, `"amount":"1501"`, 1)
	if wrong := attest.Verify([]byte(changed), keys); len(wrong) == 0 {
		t.Error("a changed amount is not found")
	}
	printed := p.get(t, path+"/print")
	if printed.code != http.StatusOK || !strings.Contains(printed.body, path+"/timeline.json") ||
		!strings.Contains(printed.text(), payment.UUID.String()) {
		t.Errorf("%d: %s", printed.code, printed.text())
	}
}
