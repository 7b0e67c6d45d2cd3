package auth_test

import (
	"net/http"
	"testing"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// Where a header comes twice, a proxy in front may have read the other one. The
// call is refused, even if both are the same.
func TestDoubledHeaders(t *testing.T) {
	d, m, keys := signing(t)
	twice := func(header http.Header, name string) http.Header {
		header = header.Clone()
		header.Add(name, header.Get(name))
		return header
	}
	refusedTwice := func(name string, err error) {
		t.Helper()
		refused(t, err, fault.Forbidden, "invalid_signature")
		testenv.Want(t, fault.As(err).Message, "The header "+name+" was sent more than once.", "what is said")
	}
	for _, name := range []string{"Signature", "X-Merchant-Key-Id", "X-Merchant-Secret"} {
		refusedTwice(name, testenv.ErrOf(keys.Merchant(request(t, twice(headers(m, order), name)), unread(t))))
	}
	app := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{Secret: "app"})
	good := http.Header{"Signature": {signature("app", order)}, auth.HeaderV2: {"t=1,v1=00"}}
	for name := range good {
		refusedTwice(name, testenv.ErrOf(app.Application(t.Context(), twice(good, name), unread(t), noPayment)))
	}
}
