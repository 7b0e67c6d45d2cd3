package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
)

// A sandbox takes another port where one that nobody asked for is in use, and
// says so. A port that was given, or that a public URL leads to, is kept to,
// and so is every port of production.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken := testenv.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = taken.Close() })
	open := func(sandbox bool, fixed, url string) (address, told string, err error) {
		const free = "127.0.0.1:0"
		c := config{
			sandbox: sandbox, fixed: map[string]bool{fixed: true}, baseURL: url,
			apiAddr: taken.Addr().String(), payAddr: free, portalAddr: free, opsAddr: free,
		}
		d, err := openDoors(context.Background(), &c, func(format string, _ ...any) { told += format })
		if err == nil {
			defer d.close()
			testenv.Want(t, c.baseURL, localURL(d.api), "the URL")
			address = d.api.Addr().String()
		}
		return address, told, err
	}
	address, told, err := open(true, flagPayAddr, "")
	testenv.Check(t, err == nil && address != taken.Addr().String() && told != "", "%s, told %q: %v", address, told, err)
	for name, attempt := range map[string]struct {
		sandbox    bool
		fixed, url string
	}{
		"given":      {true, flagAPIAddr, ""},
		"public URL": {true, "", "https://api.example.com"},
		"production": {false, "", ""},
	} {
		_, told, err := open(attempt.sandbox, attempt.fixed, attempt.url)
		testenv.Check(t, err != nil && strings.Contains(err.Error(), "-"+flagAPIAddr) && told == "",
			"%s: told %q: %v", name, told, err)
	}
}

// A sandbox signs anybody in, so it is reached from this machine alone unless
// it is told an address. Production listens as it is told, by default
// everywhere.
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
	testenv.Check(t, c.fixed[flagAPIAddr] && c.fixed[flagPortalAddr] && !c.fixed[flagPayAddr] && !c.fixed[flagOpsAddr],
		"given by flag or variable: %v", c.fixed)
	c, err = parse(nil)
	testenv.Check(t, err == nil && c.apiAddr == ":8080", "production: %s; %v", c.apiAddr, err)
}

// A request with two lengths is refused, and behind a body in chunks nothing is
// read from the connection: a proxy in front may have seen the end of the body
// elsewhere.
func TestNothingBehindChunks(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	server := httptest.NewUnstartedServer(g.public("http://x", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, r.URL.Path)
	})))
	server.Listener = edge.OneLength(server.Listener)
	server.Start()
	defer server.Close()
	const chunks, behind = "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET /behind HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for name, c := range map[string]struct {
		version, rest string
		answers       []string
	}{
		"chunks alone":   {"1.1", chunks, []string{"200"}},
		"a length":       {"1.1", "Content-Length: 1\r\n\r\na", []string{"200", "200"}},
		"no body":        {"1.1", "\r\n", []string{"200", "200"}},
		"a folded field": {"1.1", "X: Content-Length:\r\n 3\r\nContent-Length:\r\n 1\r\n\r\na", []string{"200", "200"}},
		"a body that looks like a head": {
			"1.1", "Content-Length: 39\r\n\r\nContent-Length: 1\r\nTransfer-Encoding: x", []string{"200", "200"},
		},
		"a length and chunks":             {"1.1", "Content-Length: 6\r\n" + chunks, []string{"400"}},
		"chunks and a length":             {"1.1", "Transfer-Encoding: chunked\r\ncontent-length: 6\n\n0\r\n\r\n", []string{"400"}},
		"chunks and a length without any": {"1.1", "Content-Length:\r\n" + chunks, []string{"400"}},
		"two lengths":                     {"1.1", "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", []string{"400"}},
		"a length and chunks of HTTP/1.0": {
			"1.0", "Connection: keep-alive\r\nContent-Length: 5\r\n" + chunks, []string{"400"},
		},
		"chunks of HTTP/1.0": {"1.0", "Connection: keep-alive\r\n" + chunks, []string{"200"}},
		"refused behind one that is answered": {
			"1.1", "Content-Length: 1\r\n\r\naPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n" + chunks, nil,
		},
	} {
		connection := testenv.Must(new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String()))(t)
		_, _ = io.WriteString(connection, "POST /a HTTP/"+c.version+"\r\nHost: x\r\n"+c.rest+behind)
		got, _ := io.ReadAll(connection) // it may be reset, as what stands behind is thrown away
		_ = connection.Close()
		var answers []string
		for _, answer := range regexp.MustCompile(`HTTP/1\.[01] (\d+)`).FindAllSubmatch(got, -1) {
			answers = append(answers, string(answer[1]))
		}
		testenv.Check(t, (c.answers == nil || slices.Equal(answers, c.answers)) && strings.Contains(string(got), "/behind") == (len(c.answers) == 2),
			"%s: %q", name, got)
	}
}
