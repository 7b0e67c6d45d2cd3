package acceptance

import (
	"encoding/json"
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

// event is a webhook as documented.
type event struct {
	Type      string `json:"type"`
	EventID   string `json:"eventId"`
	CreatedAt string `json:"createdAt"`
	Data      struct {
		UUID     string `json:"uuid"`
		OrderID  string `json:"orderId"`
		Status   string `json:"status"`
		Amount   string `json:"amount"`
		Currency string `json:"currency"`
	} `json:"data"`
	Meta struct {
		PreviousStatus string  `json:"previousStatus"`
		Reason         *string `json:"reason"`
		Sequence       int     `json:"sequence"`
	} `json:"meta"`
}

// letter is one delivery, as it came.
type letter struct {
	answer
	method string
}

// shop is a merchant's endpoint. It takes only what is signed with its cashbox's secret, if it is
// told one.
type shop struct {
	*httptest.Server
	mu      sync.Mutex
	byOrder map[string][]event
	raw     map[string]string
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
	s := &shop{
		byOrder: map[string][]event{}, raw: map[string]string{}, came: map[string][]letter{},
		statuses: statuses,
	}
	verify := func([]byte, http.Header) error { return nil }
	if secret != "" {
		verifier, err := standardwebhooks.NewWebhook(secret)
		noError(t, err)
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
			status = s.take(letter{got, r.Method}, verify(body, r.Header))
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
func (s *shop) take(l letter, err error) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	order, body := l.text("data.orderId"), []byte(l.raw)
	s.came[order] = append(s.came[order], l)
	if len(s.statuses) > 0 {
		status := s.statuses[0]
		s.statuses = s.statuses[1:]
		return status
	}
	var e event
	if err := errors.Join(err, json.Unmarshal(body, &e), description().webhook(body)); err != nil {
		s.refused = append(s.refused, fmt.Errorf("webhook %s: %w", body, err))
		return http.StatusBadRequest
	}
	s.raw[e.EventID] = string(body)
	s.byOrder[e.Data.OrderID] = append(s.byOrder[e.Data.OrderID], e)
	return http.StatusOK
}

func (s *shop) events(order string) []event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.byOrder[order])
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

func (s *shop) has(eventID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.raw[eventID]
	return ok
}

// await waits for an order's events, as many as that.
func (s *shop) await(t *testing.T, order string, count int) []event {
	t.Helper()
	var got []event
	noError(t, testenv.Eventually(func() error {
		if got = s.events(order); len(got) < count {
			return fmt.Errorf("%s: %d of %d events", order, len(got), count)
		}
		return nil
	}))
	return got
}
