package developers_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// What is wrong with a request is said, and neither the secret nor the right signature.
func TestDoctor(t *testing.T) {
	b, p := portaltest.Member(t, caller.Developer)
	const path, body = "/merchant/developers/doctor", `{"note":"<i>b</i>"}`
	right := hmac.New(sha256.New, []byte(b.Merchant.Secret))
	right.Write([]byte(body + "\n"))
	headers := "X-Merchant-Key-Id: " + b.Merchant.KeyID + "\r\nSignature: " + hex.EncodeToString(right.Sum(nil))
	a := p.Post(t, path, "headers", headers, "secret", b.Merchant.Secret, "body", body)
	for _, fact := range []string{"A line break at the end differs", "differ at byte 19,"} {
		testenv.Check(t, strings.Contains(a.Text(), fact) && !strings.Contains(a.Body, b.Merchant.Secret), "%d: %s", a.Code, a.Text())
	}
	want(t, "typed", a.Page(t).Find("#body").Text(), body)

	whole := "POST /api/v1/payments HTTP/1.1\r\n" + headers + "\r\nX-Merchant-Secret: " + b.Merchant.Secret +
		"\r\n\r\n" + body + "\r\n"
	a = p.Post(t, path, "request", whole, "headers", "Signature: 00", "path", "/before", "body", "{}")
	testenv.Check(t, strings.Contains(a.Text(), "The signature is right") && !strings.Contains(a.Body, b.Merchant.Secret),
		"the whole request: %d: %s", a.Code, a.Text())
	want(t, "read", a.Page(t).Find("#path").AttrOr("value", ""), "/api/v1/payments")

	wantIn(t, "a wrong secret", p.Post(t, path, "headers", headers, "secret", "guess", "body", body).Text(), "not one of yours")
	a = p.Post(t, path, "headers", "X-Signature: 00", "body", body)
	wantIn(t, "a misnamed header", a.Text(), "a header of a similar name", "Header: Signature")
	a = p.Post(t, path, "request", "what is wrong?")
	want(t, "no request", a.At(t, ".wrong"), "422 must be a request as it is on the wire, or a line of curl")
}
