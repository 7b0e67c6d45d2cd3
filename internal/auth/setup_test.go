package auth_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"testing"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// setup is a database of its own. It has the test run beside others.
func setup(t *testing.T) *dbtest.DB {
	t.Helper()
	t.Parallel()
	return dbtest.New(t)
}

// signing is a merchant and what its requests are judged by.
func signing(t *testing.T) (*dbtest.DB, dbtest.Merchant, *auth.Keys) {
	t.Helper()
	d := setup(t)
	return d, d.NewMerchant(t, dbtest.MerchantOpts{}), keysOf(d)
}

func keysOf(d *dbtest.DB) *auth.Keys {
	return auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
}

func body(content string) auth.ReadBody {
	return func() ([]byte, error) { return []byte(content), nil }
}

// unread fails the test when the body is asked for.
func unread(t *testing.T) auth.ReadBody {
	t.Helper()
	return func() ([]byte, error) {
		t.Helper()
		t.Error("the body was read")
		return nil, errors.New("read")
	}
}

// signature is the documented one: the hex HMAC-SHA256 of what is signed under the raw secret.
func signature(secret, signed string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return hex.EncodeToString(mac.Sum(nil))
}

// headers signs the body for the merchant.
func headers(m dbtest.Merchant, signed string) http.Header {
	header := http.Header{}
	header.Set("X-Merchant-Key-Id", m.KeyID)
	header.Set("X-Merchant-Secret", m.Secret)
	header.Set("Signature", signature(m.Secret, signed))
	return header
}

// with returns a copy of the headers in which one is another; empty takes it away.
func with(header http.Header, name, value string) http.Header {
	changed := header.Clone()
	changed.Del(name)
	if value != "" {
		changed.Set(name, value)
	}
	return changed
}

// request is a call with these headers.
func request(t *testing.T, header http.Header) *http.Request {
	t.Helper()
	r := testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/payments?from=1", nil))(t)
	r.Header = header
	return r
}

var refused = dbtest.WantRefusal
