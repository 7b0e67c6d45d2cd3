package model_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook"
)

// modelHooks is a merchant's endpoint, and what delivers to it.
type modelHooks struct {
	server *httptest.Server
	pool   db.Pool
	// deliverer makes deliveries while it is run.
	deliverer *webhook.Deliverer
	relay     *webhook.Relay
	// events are all that were written, by id.
	events map[string]*modelHook

	mu sync.Mutex
	// answers are what the endpoint answers next; when they are used up it
	// takes everything.
	answers []int
	calls   []modelCall
}

// modelHook is one event on its way.
type modelHook struct {
	from modelAddress
	body []byte
	// calls counts the requests that came, taken those that were answered
	// with 2xx; gone is a 410, spent that all tries were made.
	calls, taken int
	gone, spent  bool
	// answered: an answer to end it was given since the last look; settled:
	// at the last look it was delivered or dead.
	answered, settled bool
}

type modelCall struct {
	header http.Header
	body   []byte
	path   string
	answer int
}

// hangUp is the endpoint's closing the connection without an answer.
const hangUp = 0

func newModelHooks(t testing.TB, d *dbtest.DB, v *vault.Vault, clock *dbtest.Clock) *modelHooks {
	t.Helper()
	h := &modelHooks{events: map[string]*modelHook{}}
	h.server = httptest.NewServer(h)
	// The pool of deliveries is not the service's: they must not starve
	// where that has a single connection.
	h.pool = testenv.Must(db.Open(t.Context(), d.URL, 4, db.ForCommands))(t)
	h.deliverer = webhook.NewDeliverer(h.pool, v, clock, outbound.NewAddresses(true), prometheus.NewRegistry())
	h.relay = webhook.NewRelay(h.pool, clock, prometheus.NewRegistry())
	t.Cleanup(func() {
		h.server.Close()
		h.pool.Close()
	})
	return h
}

func (h *modelHooks) address(n int) string { return h.server.URL + []string{"/a", "/b"}[n] }

func (h *modelHooks) expect(id uuid.UUID, from modelAddress, body []byte) {
	h.events[id.String()] = &modelHook{from: from, body: bytes.Clone(body)}
}

// ServeHTTP implements http.Handler.
func (h *modelHooks) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	answer := http.StatusOK
	if len(h.answers) > 0 {
		answer, h.answers = h.answers[0], h.answers[1:]
	}
	h.calls = append(h.calls, modelCall{header: r.Header.Clone(), body: body, path: r.URL.Path, answer: answer})
	h.mu.Unlock()
	if answer == hangUp {
		panic(http.ErrAbortHandler)
	}
	rw.Header().Set("Location", "/elsewhere") // of a redirect, which must not be followed
	rw.WriteHeader(answer)
}

func (h *modelHooks) received() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.calls)
}

var modelAnswers = []int{200, 500, 204, hangUp, 503, 302, 404, 201, 410}

// deliver makes what is queued be delivered, at an endpoint that fails now and
// then, and in some walks stops in the middle and begins again.
func (w *modelWalk) deliver(s modelStep) {
	random := s.n[0]
	for range s.n[1] % 12 {
		w.hooks.answers = append(w.hooks.answers, pickModel(modelAnswers, random))
		random /= 3
	}
	w.tell("delivered")
	if s.n[3]%2 == 0 {
		w.work(true)
	}
	w.work(false)
	w.verifyDeliveries()
}

// drain delivers until nothing is left; the endpoint takes everything now. Each
// event is delivered in the end, or given up because the endpoint is gone or
// failed every try.
func (w *modelWalk) drain() {
	w.hooks.answers = nil
	for open, rounds := 1, 0; open > 0; rounds++ {
		if rounds == 12 {
			fail("some events are never delivered")
		}
		w.work(false)
		w.verifyDeliveries()
		must(w.check.QueryRow(w.ctx, "select count(*) from webhook_event where status = 'pending'").Scan(&open))
	}
	for id, hook := range w.hooks.events {
		if hook.taken == 0 && !hook.gone && !hook.spent {
			fail("event %s of %s never arrived", id, hook.from)
		}
	}
}

// work brings every delivery's time about, and makes deliveries: until all had
// their turn, or, to be stopped, until some have begun.
func (w *modelWalk) work(stop bool) {
	w.exec("update webhook_delivery set due_at = now()")
	w.exec("update webhook_endpoint set due_at = now() where due_at > now()")
	ctx, end := context.WithCancel(w.ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	running.Go(func() { w.hooks.deliverer.Run(ctx) })
	if before := w.hooks.received(); stop {
		for deadline := time.Now().Add(50 * time.Millisecond); w.hooks.received() < before+3 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		return
	}
	must(testenv.Eventually(func() error {
		var busy bool
		row := w.check.QueryRow(w.ctx, "select exists (select 1 from webhook_delivery where due_at <= now())")
		if err := row.Scan(&busy); err != nil || !busy {
			return err
		}
		return errors.New("deliveries do not come to an end")
	}))
}

// verifyDeliveries judges the requests that came since the last look and where
// they left their events.
func (w *modelWalk) verifyDeliveries() {
	w.hooks.mu.Lock()
	calls := w.hooks.calls
	w.hooks.calls = nil
	w.hooks.mu.Unlock()
	for _, call := range calls {
		w.hooks.judge(call)
	}
	rows := given(w.check.Query(w.ctx, `
		select e.id::text, e.status,
			(select count(*) from webhook_attempt a where a.merchant_id = e.merchant_id and a.event_id = e.id)
		from webhook_event e`))
	var id, status string
	var attempts int
	each(rows, func() { w.hooks.events[id].verifyStatus(id, status, attempts) }, &id, &status, &attempts)
}

// judge checks one request: a known event in its own words, signed, and not one
// that was settled before.
func (h *modelHooks) judge(call modelCall) {
	id := call.header.Get(standardwebhooks.HeaderWebhookID)
	hook := h.events[id]
	if hook == nil || !bytes.Equal(call.body, hook.body) || h.server.URL+call.path != hook.from.callback {
		fail("event %q came to %s as %s", id, call.path, call.body)
	}
	if hook.settled || hook.answered {
		fail("event %s came again after it was settled", id)
	}
	must(given(standardwebhooks.NewWebhook(hook.from.box.secret)).Verify(call.body, call.header))
	hook.calls++
	if call.answer/100 == 2 {
		hook.taken++
	}
	hook.gone = hook.gone || call.answer == http.StatusGone
	hook.answered = hook.answered || call.answer/100 == 2 || call.answer == http.StatusGone
}

// modelTries is how often an event is tried before it is given up.
const modelTries = 11

func (hook *modelHook) verifyStatus(id, status string, attempts int) {
	if hook == nil {
		fail("event %s is nobody's", id)
	}
	wrong := attempts < hook.calls || status == "delivered" && hook.taken == 0 ||
		status == "dead" && !hook.gone && attempts < modelTries || status == "pending" && hook.answered
	hook.answered, hook.settled = false, status != "pending"
	hook.spent = status == "dead" && attempts >= modelTries
	if wrong {
		fail("event %s is %s after %d attempts: %d arrived, %d were taken, gone %t", id, status, attempts,
			hook.calls, hook.taken, hook.gone)
	}
}
