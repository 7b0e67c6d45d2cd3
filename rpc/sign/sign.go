// Package sign is the client's side of the merchant API's signatures: an
// http.RoundTripper for Go users.
package sign

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrRedirect is returned instead of following a redirect, which would give the
// secret to another host.
var ErrRedirect = errors.New("sign: the gateway never redirects; check the base URL")

// Headers names the three headers of a signed request. An empty name stands for
// its default.
type Headers struct {
	KeyID     string // X-Merchant-Key-Id
	Secret    string // X-Merchant-Secret
	Signature string // Signature
}

// DefaultHeaders are the names that a gateway uses unless it is configured
// otherwise.
var DefaultHeaders = Headers{KeyID: "X-Merchant-Key-Id", Secret: "X-Merchant-Secret", Signature: "Signature"}

// Signature returns the lower-case hex HMAC-SHA256 of body under secret. A
// request without a body signs nil.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// AppealSignature is the signature of an appeal, which covers a canonical text
// instead of the body. Set it as the request's signature header; a Transport
// does not replace it.
func AppealSignature(secret, reason, fileName string, fileSize int64) string {
	return Signature(secret, fmt.Appendf(nil, "appeal-v1\n%s\n%s\n%d", reason, fileName, fileSize))
}

// CallbackSignature is the header Signature-V2 of a payment's callback: it
// covers the time, the payment's uuid and the body. It is good for this payment
// only, and for five minutes.
func CallbackSignature(secret string, at time.Time, paymentUUID string, body []byte) string {
	signed := Signature(secret, append(fmt.Appendf(nil, "%d.%s.", at.Unix(), paymentUUID), body...))
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), signed)
}

// Transport signs every request with the key's id and secret under the default
// header names, and sends it through base, or http.DefaultTransport if base is
// nil. It keeps a signature that is already there. Use it for one gateway only:
// the secret goes wherever the request goes.
func Transport(base http.RoundTripper, keyID, secret string) http.RoundTripper {
	return DefaultHeaders.Transport(base, keyID, secret)
}

// Transport is the function Transport for a gateway with other header names.
func (h Headers) Transport(base http.RoundTripper, keyID, secret string) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{base: base, headers: h.withDefaults(), keyID: keyID, secret: secret}
}

func (h Headers) withDefaults() Headers {
	return Headers{
		KeyID:     cmp.Or(h.KeyID, DefaultHeaders.KeyID),
		Secret:    cmp.Or(h.Secret, DefaultHeaders.Secret),
		Signature: cmp.Or(h.Signature, DefaultHeaders.Signature),
	}
}

type transport struct {
	base          http.RoundTripper
	headers       Headers
	keyID, secret string
}

// RoundTrip implements http.RoundTripper: it signs and sends a copy, and does
// not change the caller's request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if r.Response != nil { // set by http.Client on a request that follows a redirect
		return nil, ErrRedirect
	}
	signed := r.Clone(r.Context())
	setBody(signed, body)
	signed.Header.Set(t.headers.KeyID, t.keyID)
	signed.Header.Set(t.headers.Secret, t.secret)
	if signed.Header.Get(t.headers.Signature) == "" {
		signed.Header.Set(t.headers.Signature, Signature(t.secret, body))
	}
	return t.base.RoundTrip(signed)
}

// readBody reads the whole body, from a new copy if the request can make one,
// and closes the request's own, as a RoundTripper must.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer func() { _ = r.Body.Close() }() // what was needed of it has been read
	source := r.Body
	if r.GetBody != nil {
		fresh, err := r.GetBody()
		if err != nil {
			return nil, fmt.Errorf("sign: copy the request body: %w", err)
		}
		defer func() { _ = fresh.Close() }()
		source = fresh
	}
	body, err := io.ReadAll(source)
	if err != nil {
		return nil, fmt.Errorf("sign: read the request body: %w", err)
	}
	return body, nil
}

// setBody gives the copy a body that can be sent again on another connection.
func setBody(r *http.Request, body []byte) {
	r.ContentLength, r.TransferEncoding = int64(len(body)), nil
	if len(body) == 0 {
		r.Body, r.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
		return
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
}
