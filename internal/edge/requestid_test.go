package edge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestRequestID(t *testing.T) {
	t.Parallel()
	inside := ""
	handler := WithRequestID(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = RequestID(r.Context()) }),
	)
	ask := func(sent string) string {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("X-Request-Id", sent)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if got := answer.Header().Get("X-Request-Id"); got != inside {
			t.Errorf("answered %q, inside %q", got, inside)
		}
		return inside
	}
	for _, good := range []string{"a", "A-Z_0.9", strings.Repeat("x", 64), "...", uuid.NewString()} {
		if got := ask(good); got != good {
			t.Errorf("%q became %q", good, got)
		}
	}
	seen := map[string]bool{}
	for _, bad := range []string{"", " ", strings.Repeat("x", 65), "a b", "a/b", "a\nb", "ж", "a\x00", "<script>", "a;b", "\xff", "a\n"} {
		got := ask(bad)
		if _, err := uuid.Parse(got); err != nil || seen[got] {
			t.Errorf("%q became %q; want an id of ours, and a new one", bad, got)
		}
		seen[got] = true
	}
}

// What callers choose is answered with, and kept only as far as it cannot be a secret.
func TestKeptRequestID(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	for sent, harmless := range map[string]bool{
		"request-1":                         true,
		id:                                  true,
		"1763839200123":                     true, // a time in milliseconds
		"4111111111111111":                  false,
		"order.4111111111111111.7":          false,
		"a4111-1111-1111-1111b":             false,
		"4111.1111_1111-1111":               false,
		"4111111111111112":                  true, // the check digit is wrong
		"sk_0123456789abcdef0123456789abcd": false,
		"k2qhE0rhW6wScthkvct9oi3wCNGBN475Fw8YbSr__zc":             false,
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": true,
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("X-Request-Id", sent)
		var shown, kept string
		WithRequestID(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			shown, kept = RequestID(r.Context()), KeptRequestID(r.Context())
		})).ServeHTTP(httptest.NewRecorder(), request)
		if shown != sent || (kept == sent) != harmless || uuid.Validate(kept) != nil && !harmless {
			t.Errorf("%s is shown as %q, kept as %q", sent, shown, kept)
		}
	}
}
