package portal_test

import (
	"bufio"
	"net/http"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// listening is a line to the desk, as a browser keeps it.
type listening struct{ lines chan string }

// listen opens a line to the desk of whoever is signed in.
func (p *person) listen(t testing.TB) listening {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.b.server.URL+"/trader/live", nil)
	noError(t, err)
	r.AddCookie(&http.Cookie{Name: "session", Value: p.cookie()})
	response, err := http.DefaultTransport.RoundTrip(r)
	noError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK ||
		kind != "text/event-stream" {
		t.Fatalf("%d %s", response.StatusCode, kind)
	}
	l := listening{make(chan string, 100)}
	go func() {
		defer close(l.lines)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			if line := scanner.Text(); line != "" && line != "data: " {
				l.lines <- line
			}
		}
	}()
	return l
}

// next is what comes next within a time: "" is nothing, "end" the end of the line.
func (l listening) next(t testing.TB, within time.Duration) string {
	t.Helper()
	select {
	case line, open := <-l.lines:
		if !open {
			return "end"
		}
		return line
	case <-time.After(within):
		return ""
	}
}

// A second line of a desk that is being watched already is told at once to ask: what happened between its page and the line
// was told to the first line only.
func TestSecondLineIsTold(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	for range 2 {
		line := p.listen(t)
		if open, told := line.next(t, testenv.Patience), line.next(
			t,
			testenv.Patience,
		); open != ": open" || told != "event: changed" {
			t.Errorf("%q, then %q", open, told)
		}
	}
}
