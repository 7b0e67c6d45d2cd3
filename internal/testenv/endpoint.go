package testenv

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Endpoint is somebody's HTTP server, which answers as it is told and remembers
// what it was sent.
type Endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	answer Answer
	sent   []Sent
}

// Answer answers a request, which is the so manieth of its endpoint.
type Answer = func(w http.ResponseWriter, r *http.Request, nth int)

// Sent is a request as it came in.
type Sent struct {
	Header http.Header
	Body   []byte
	Method string
	Path   string
	At     time.Time
}

// NewEndpoint is an endpoint until the test ends.
func NewEndpoint(t testing.TB, answer Answer) *Endpoint {
	t.Helper()
	e := &Endpoint{answer: answer}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.sent = append(e.sent, Sent{r.Header.Clone(), body, r.Method, r.URL.Path, time.Now()})
		answer, nth := e.answer, len(e.sent)
		e.mu.Unlock()
		answer(w, r, nth)
	}))
	t.Cleanup(e.Close)
	return e
}

// Say has it answer so from now on.
func (e *Endpoint) Say(answer Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = answer
}

// All are the requests so far.
func (e *Endpoint) All() []Sent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.sent)
}

// Port is where it listens, as it stands in an address.
func (e *Endpoint) Port() string { return e.URL[strings.LastIndex(e.URL, ":"):] }
