package simulated

import (
	"bytes"
	"io"
	"net/http"
)

// Transport lets a client call a handler in its own process, so that no node
// needs a port.
type Transport struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a := &answer{header: http.Header{}, status: http.StatusOK}
	t.ServeHTTP(a, r)
	return &http.Response{
		StatusCode: a.status, Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r,
	}, nil
}

// answer collects what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(part []byte) (int, error) { return a.body.Write(part) }
