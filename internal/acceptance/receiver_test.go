package acceptance

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
	"gateway.example/rpc/webhook"
)

// letter is one delivery, as it came.
type letter struct {
	answer
	method string
	// taken says that it was answered with 200, and not refused.
	taken bool
}

// shop is a merchant's endpoint. It takes only what is signed with its cashbox's secret, if it is
// told one.
type shop struct {
	*httptest.Server
	mu sync.Mutex
	// came is every delivery of an order, also those that were refused.
	came     map[string][]letter
	refused  []error
	statuses []int
	// delay is how long it takes over each; who hangs up before has told it nothing.
	delay time.Duration
	// instead, if there is one, may answer an event in the shop's place, which has taken it already
	// where keep says so.
	instead atomic.Pointer[badManners]
}

// badManners are how an endpoint may answer that does not answer well.
type badManners struct {
	// keep says that it takes the event, however it then answers.
	keep   bool
	answer http.HandlerFunc
}

// newShop starts an endpoint that first answers with the given statuses and then with 200.
func newShop(t *testing.T, secret string, statuses ...int) *shop {
	t.Helper()
	s := &shop{came: map[string][]letter{}, statuses: statuses}
	verify := func([]byte, http.Header) error { return nil }
	if secret != "" {
		verifier := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
		verify = func(body []byte, sent http.Header) error {
			_, own := webhook.Verify(sent, body, secret)
			return errors.Join(verifier.Verify(body, sent), own)
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case <-time.After(s.delay):
		case <-r.Context().Done():
			return
		}
		bad := s.instead.Load()
		status := http.StatusOK
		if bad == nil || bad.keep {
			got := answer{header: r.Header, raw: string(body), body: decoded(string(body))}
			status = s.take(letter{answer: got, method: r.Method}, verify(body, r.Header))
		}
		if bad != nil {
			bad.answer(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(func() {
		s.Close()
		if err := errors.Join(s.refused...); err != nil {
			t.Error(err)
		}
	})
	return s
}

// take keeps an event and returns the status to answer with.
func (s *shop) take(l letter, err error) (status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := l.text("data.orderId")
	status = http.StatusOK
	if len(s.statuses) > 0 {
		status, s.statuses = s.statuses[0], s.statuses[1:]
	} else if err := errors.Join(err, description().webhook([]byte(l.raw))); err != nil {
		s.refused = append(s.refused, fmt.Errorf("webhook %s: %w", l.raw, err))
		status = http.StatusBadRequest
	}
	l.taken = status == http.StatusOK
	s.came[order] = append(s.came[order], l)
	return status
}

// events are those of an order that were taken.
func (s *shop) events(order string) []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.came[order]), func(l letter) bool { return !l.taken })
}

// letters waits for an order's deliveries, as many as that, and returns all that have come.
func (s *shop) letters(t *testing.T, order string, count int) []letter {
	t.Helper()
	var got []letter
	testenv.Until(t, fmt.Sprintf("%d webhooks have come for %s", count, order), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		got = slices.Clone(s.came[order])
		return len(got) >= count
	})
	return got
}

// all are the deliveries of all orders that were taken.
func (s *shop) all() (letters []letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, came := range s.came {
		letters = append(letters, came...)
	}
	return slices.DeleteFunc(letters, func(l letter) bool { return !l.taken })
}

// await waits for an order's event.
func (s *shop) await(t *testing.T, order string) letter {
	t.Helper()
	testenv.Until(t, "an event of "+order+" has come", func() bool { return len(s.events(order)) > 0 })
	return s.events(order)[0]
}
