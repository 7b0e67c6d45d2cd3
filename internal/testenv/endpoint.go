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

// Endpoint is an HTTP server of somebody else. It answers as the test says and
// records what it was sent.
type Endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	answer Answer
	sent   []Sent
}

// Answer answers an endpoint's nth request.
type Answer = func(w http.ResponseWriter, r *http.Request, nth int)

// Sent is a request that an endpoint received.
type Sent struct {
	Header http.Header
	Body   []byte
	Method string
	Path   string
	At     time.Time
}

// NewEndpoint starts an endpoint, which is closed at the test's end.
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

// Say sets how it answers from now on.
func (e *Endpoint) Say(answer Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = answer
}

// All returns the requests so far.
func (e *Endpoint) All() []Sent {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.sent)
}

// Port is its port with a colon before it, as in an address.
func (e *Endpoint) Port() string { return e.URL[strings.LastIndex(e.URL, ":"):] }
