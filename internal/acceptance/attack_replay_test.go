package acceptance

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// proof is something that lets a caller in: how it is sent, and what is answered to a wrong one.
type proof struct {
	good string
	send func(t *testing.T, given string) answer
	// refused reports whether an answer lets nobody in, and tells no more of a nearly right proof than of
	// any other.
	refused func(given string, a answer) bool
}

// byCode wants one status and code for every wrong proof, and another code for none at all.
func byCode(status int, code, none string) func(string, answer) bool {
	return func(given string, a answer) bool {
		if strings.TrimSpace(given) == "" && a.text("code") == none {
			return true
		}
		return a.status == status && a.text("code") == code && a.at("data") == nil
	}
}

// proofs are all there are.
func (g *instance) proofs(t *testing.T) map[string]proof {
	t.Helper()
	box, body := g.first(), order(nil)
	good := signed(box, body)
	creation := func(name string) func(*testing.T, string) answer {
		return func(t *testing.T, given string) answer {
			t.Helper()
			return send(t, http.MethodPost, g.BaseURL+payments, body, with(good, name, given))
		}
	}
	requisite, pending := g.create(t, box, nil), g.create(t, box, nil)
	_, checkout := g.cardPayment(t, nil)
	settled := `{"status":"completed"}`
	id := pending.text("data.id")
	callback := func(name string) func(*testing.T, string) answer {
		return func(t *testing.T, given string) answer {
			t.Helper()
			return send(t, http.MethodPost, g.BaseURL+payments+"/"+id+"/callback", settled, header{name: given})
		}
	}
	page := requisite.text("data.paymentPageUrl")
	return map[string]proof{
		"signature": {good["Signature"], creation("Signature"), byCode(403, "invalid_signature", "signature_required")},
		"secret": {box.Secret,
			creation("X-Merchant-Secret"),
			byCode(403, "invalid_signature", "merchant_secret_required")},
		"key id": {box.KeyID,
			creation("X-Merchant-Key-Id"),
			byCode(403, "invalid_signature", "merchant_key_id_required")},
		"callback": {g.application(settled)["Signature"], callback("Signature"),
			byCode(403, "invalid_signature", "signature_required")},
		"callback, of a time": {g.callbackV2(time.Now(), pending.text("data.uuid"), settled), callback("Signature-V2"),
			byCode(403, "invalid_signature", "signature_required")},
		"token": {
			g.user(t, "payer").Token, func(t *testing.T, given string) answer {
				t.Helper()
				return send(t, http.MethodGet, g.BaseURL+payments, "", bearer(given))
			}, byCode(401, "unauthenticated", "signature_required"),
		},
		"link, by REST": {checkout, func(t *testing.T, given string) answer {
			t.Helper()
			return send(t, http.MethodGet, g.BaseURL+"/api/v1/checkout/"+url.PathEscape(given), "", nil)
		}, byCode(404, "not_found", "not_found")},
		"link": {path.Base(page), func(t *testing.T, given string) answer {
			t.Helper()
			got := fetched(t, http.MethodGet, g.PayURL+"/r/"+url.PathEscape(given), "", nil)
			return got
		}, func(_ string, a answer) bool { return a.status == 404 && !strings.Contains(a.raw, "1500") }},
		"cookie": {g.browser(t, "merchant"), func(t *testing.T, given string) answer {
			t.Helper()
			got := fetched(t, http.MethodGet, g.PortalURL+"/merchant/payments", "",
				header{"Cookie": "session=" + given})
			return got
		}, func(_ string, a answer) bool {
			return a.status == 303 && strings.HasPrefix(a.header.Get("Location"), "/sign-in") && a.raw == ""
		}},
	}
}

// browser signs a user in by the portal's form, and returns the cookie of the session.
func (g *instance) browser(t *testing.T, login string) string {
	t.Helper()
	for _, cookie := range g.enter(t, login) {
		if cookie.Name == "session" {
			keepSecret(cookie.Value)
			return cookie.Value
		}
	}
	t.Fatalf("%s cannot sign in", login)
	return ""
}

// Every proof of who calls is refused when it is cut at any length, goes on, is changed in any place, or
// is another sort's. The answer is the same for each, and nothing has changed; whole, each lets in.
func TestTruncatedProofs(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	proofs := g.proofs(t)
	before := g.kept(t)
	for name, p := range proofs {
		wrong := []string{
			p.good + "0",
			p.good + p.good,
			" ",
			strings.Repeat("0", len(p.good)),
			p.good + ",",
			p.good + "\t.",
			"null",
		}
		for i := range len(p.good) {
			wrong = append(wrong, p.good[:i])
			if changed := p.good[:i] + other(p.good[i]) + p.good[i+1:]; !sameBytes(changed, p.good) {
				wrong = append(wrong, changed)
			}
		}
		for another, q := range proofs {
			if q.good != p.good && another != name {
				wrong = append(wrong, q.good)
			}
		}
		for _, given := range wrong {
			got := p.send(t, given)
			testenv.Check(t, p.refused(given, got), "%s of %d characters for %d: %s", name, len(given), len(p.good), got)
		}
	}
	if after := g.kept(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("there was\n%s and is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	for name, p := range proofs {
		p.send(t, p.good).want(t, name, 200)
	}
}

// other is another character of the same alphabet, which no alphabet reads as the same.
func other(c byte) string {
	if c == '1' {
		return "2"
	}
	return "1"
}

// sameBytes reports whether two texts are one in base64: some bits of its last character mean nothing.
func sameBytes(a, b string) bool {
	first, err := base64.URLEncoding.DecodeString(a)
	second, err2 := base64.URLEncoding.DecodeString(b)
	return err == nil && err2 == nil && bytes.Equal(first, second)
}

// A cursor that is cut, changed or another list's is refused as wrong, and is never a fault of ours.
func TestForgedCursors(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	for range 3 {
		g.failed(t)
		g.createPayin(t, box, nil)
		g.createDeposit(t, box, nil)
	}
	list := func(kind, cursor string) answer {
		address := g.BaseURL + "/api/v1/" + kind + "?limit=1"
		if cursor != "" {
			address += "&cursor=" + url.QueryEscape(cursor)
		}
		return send(t, http.MethodGet, address, "", signed(box, ""))
	}
	cursors := map[string]string{}
	for _, kind := range []string{"payments", "payins", "deposits", "events"} {
		noError(t, testenv.Eventually(func() error { // events are numbered a moment after they happen
			if cursors[kind], _ = list(kind, "").at("next_cursor").(string); cursors[kind] == "" {
				return fmt.Errorf("%s: no cursor", kind)
			}
			return nil
		}))
	}
	for kind, good := range cursors {
		forged := []string{
			"0", "-1", "9223372036854775808", "1e9", "' or 1=1 --", "../../etc/passwd", "%00",
			strings.Repeat("A", 5000), "null", "[]",
		}
		for i := range len(good) {
			forged = append(forged, good[:i+1], good[:i]+other(good[i])+good[i+1:])
		}
		for _, other := range cursors {
			forged = append(forged, other)
		}
		for _, cursor := range forged {
			got := list(kind, cursor)
			testenv.Check(t, got.status == 200 || got.status == 422 && strings.Contains(got.raw, `"cursor"`),
				"%s with cursor %.60q: %s", kind, cursor, got)
		}
	}
}
