// Package signature builds what merchants' signatures cover: the bytes of a
// request's body, or a canonical form of it. It checks them, and says what is
// wrong with a wrong one.
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Headers are the names of the three headers of a signed request.
type Headers struct {
	KeyID     string
	Secret    string
	Signature string
}

// DefaultHeaders are the documented names.
func DefaultHeaders() Headers {
	return Headers{KeyID: "X-Merchant-Key-Id", Secret: "X-Merchant-Secret", Signature: "Signature"}
}

// Verify accepts the hex HMAC-SHA256 of the raw body or of one of its canonical
// forms.
func Verify(secret, body []byte, signature string) bool {
	claimed, err := hex.DecodeString(signature)
	if err != nil {
		claimed = nil
	}
	if hmac.Equal(mac(secret, body), claimed) {
		return true
	}
	for _, form := range canonicalForms(body) {
		if hmac.Equal(mac(secret, form), claimed) {
			return true
		}
	}
	return false
}

// Sign returns the lowercase hex HMAC-SHA256 of what a request's signature
// covers.
func Sign(secret, content []byte) string { return hex.EncodeToString(mac(secret, content)) }

func mac(secret, content []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(content)
	return h.Sum(nil)
}
