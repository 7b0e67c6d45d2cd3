package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Behind a body in chunks nothing is read from the connection: with a length beside them, a proxy in front may
// have seen the end of the body elsewhere.
func TestNothingBehindChunks(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	server := httptest.NewServer(g.public("http://x", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, r.URL.Path)
	})))
	defer server.Close()
	const chunks, behind = "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET /behind HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for name, c := range map[string]struct {
		version, rest string
		answers       int
	}{
		"a length and chunks": {"1.1", "Content-Length: 6\r\n" + chunks, 1},
		"chunks alone":        {"1.1", chunks, 1},
		"a length":            {"1.1", "Content-Length: 1\r\n\r\na", 2},
		"a length and chunks of HTTP/1.0": {
			"1.0", "Connection: keep-alive\r\nContent-Length: 5\r\n" + chunks, 1,
		},
	} {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(connection, "POST /a HTTP/"+c.version+"\r\nHost: x\r\n"+c.rest+behind)
		got, _ := io.ReadAll(connection) // it may be reset, as what stands behind is thrown away
		_ = connection.Close()
		if strings.Count(string(got), " 200 OK\r\n") != c.answers ||
			strings.Contains(string(got), "/behind") != (c.answers == 2) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
