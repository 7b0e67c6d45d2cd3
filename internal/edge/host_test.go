package edge_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
)

// What signs anybody in is reached by no name of a stranger's.
func TestOnlyOwnHosts(t *testing.T) {
	t.Parallel()
	handler := edge.OnlyOwnHosts(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }),
		"http://api.test:8080",
		"http://127.0.0.1:8081",
		"https://Portal.test",
	)
	for host, want := range map[string]int{
		"api.test:8080": 200, "api.test": 200, "PORTAL.test": 200, "127.0.0.1:8082": 200, "localhost:8082": 200, "[::1]:8082": 200,
		"gateway:8080": 200, "192.168.1.7:8080": 200,
		"evil.com:8082": 421, "evil.com": 421, "127.0.0.1.evil.com": 421, "localhost.evil.com:8082": 421, "api.test.evil.com": 421,
	} {
		r := httptest.NewRequest(http.MethodPost, "/sandbox/sign-in", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		testenv.Want(t, w.Code, want, "%s", host)
	}
}
