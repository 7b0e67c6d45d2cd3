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
