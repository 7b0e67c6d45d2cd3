package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"gateway.example/internal/testenv"
)

// A sandbox signs anybody in, so it is reached from this machine alone unless it is told an address, and by no
// name of a stranger's. Production listens as it is told, by default everywhere.
func TestSandboxIsOfThisMachine(t *testing.T) {
	t.Parallel()
	nothing := func(string) string { return "" }
	c, err := parseConfig(nil, nothing, io.Discard)
	testenv.Check(t, err == nil && c.apiAddr == "127.0.0.1:8080" && c.payAddr == "127.0.0.1:8081" &&
		c.portalAddr == "127.0.0.1:8082", "a sandbox: %s %s %s; %v", c.apiAddr, c.payAddr, c.portalAddr, err)
	c, err = parseConfig([]string{"-api-addr", ":8080"}, func(name string) string {
		return map[string]string{"GATEWAY_PORTAL_ADDR": ":8082"}[name]
	}, io.Discard)
	testenv.Check(t, err == nil && c.apiAddr == ":8080" && c.payAddr == "127.0.0.1:8081" && c.portalAddr == ":8082",
		"told addresses: %s %s %s; %v", c.apiAddr, c.payAddr, c.portalAddr, err)
	c, err = parse(nil)
	testenv.Check(t, err == nil && c.apiAddr == ":8080", "production: %s; %v", c.apiAddr, err)

	handler := onlyOwnHosts(
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
