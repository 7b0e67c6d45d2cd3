package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// developerPages are those of a merchant's developers, by what they show.
func (b *bundle) developerPages(t testing.TB, p *person) map[string]string {
	t.Helper()
	sent, dead := b.tell(t, b.merchant, 1, "delivered"), b.tell(t, b.merchant, 2, "dead")
	b.attempt(t, sent, 500, 40, "<h1>broken</h1>")
	b.attempt(t, sent, 200, 80, "ok")
	var key int64
	b.Get(t, &key, "select id from api_key where key_id = $1", b.merchant.KeyID)
	member := b.user(t, "<i>member</i>", caller.MerchantPortal, caller.Support, b.merchant.ID)
	confirm := p.page(t, "/merchant/developers/resend").Find("tbody a").AttrOr("href", "/none")
	replay := p.post(t, "/merchant/developers/resend", hidden(p.page(t, confirm))...).to()
	b.tell(t, b.merchant, 3, "dead")
	return map[string]string{
		"off":      memberPath(member, "/off"),
		"confirm":  confirm,
		"replay":   replay,
		"team":     "/merchant/team",
		"invite":   "/merchant/team/invite",
		"member":   memberPath(member, ""),
		"doctor":   "/merchant/developers/doctor",
		"log":      "/merchant/log",
		"keys":     "/merchant/developers/keys",
		"requests": "/merchant/developers/requests",
		"looks":    "/merchant/looks",
		"new key":  b.boxPath("keys/new"),
		"limits":   b.boxPath(fmt.Sprintf("keys/%d/limits", key)),
		"revoke":   b.boxPath(fmt.Sprintf("keys/%d/revoke", key)),
		"webhooks": "/merchant/developers/webhooks",
		"rotate":   b.boxPath("secret"),
		"test":     b.boxPath("test"),
		"events":   "/merchant/developers/events",
		"event":    "/merchant/developers/events/" + sent,
		"resend":   "/merchant/developers/events/" + dead + "/resend",
		"dead":     "/merchant/developers/resend",
	}
}

// What the signature check has found is for everybody, too.
func TestAccessibleDiagnosis(t *testing.T) {
	t.Parallel()
	testenv.Long(t, "other pages are examined")
	rules := browsertest.Rules(t)
	b := setup(t, options{})
	tab := b.as(t, caller.Developer).tab(t, b.server.URL)
	tab.Examining(rules)
	tab.Open(b.server.URL + "/merchant/developers/doctor")
	request := fmt.Sprintf(
		"POST /api/v1/payments HTTP/1.1\nX-Merchant-Key-Id: %s\nX-Merchant-Secret: %s\nSignature: %s\n\n{}",
		b.merchant.KeyID, b.merchant.Secret, strings.Repeat("ab", 20))
	browsertest.Eval[bool](tab, fmt.Sprintf("document.getElementById('request').value = %q, true", request))
	tab.Click("form.card button.primary")
	tab.Await("[role=status]", "The signature has the length of SHA-1: use HMAC-SHA256.")
	for _, theme := range []string{"light", "dark"} {
		tab.Theme(theme)
		tab.Finds(theme, browsertest.Examine)
	}
}
