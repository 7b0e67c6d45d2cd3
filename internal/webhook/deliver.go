package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"code.dny.dev/ssrf"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"gateway/internal/clock"
	"gateway/internal/db"
	"gateway/internal/vault"
)

const (
	answerTimeout = 15 * time.Second
	// jobTimeout leaves room to record the attempt after the answer timed out.
	jobTimeout = answerTimeout + 10*time.Second
	answerKept = 2 << 10
)

// States of an event.
const (
	statusPending   = "pending"
	statusDelivered = "delivered"
	statusDead      = "dead"
)

// Worker delivers events. It holds no connection and no transaction while it waits for a merchant's answer.
type Worker struct {
	river.WorkerDefaults[delivery]
	q        *db.Queries
	vault    *vault.Vault
	clock    clock.Clock
	client   *http.Client
	gate     *gate
	attempts *prometheus.CounterVec
	snoozed  prometheus.Counter
}

// NewWorker makes the worker that delivers to admitted addresses. Its metrics are the attempts by result, the
// deliveries on their way and those put off.
func NewWorker(pool db.DBTX, v *vault.Vault, c clock.Clock, a *Addresses, metrics prometheus.Registerer) *Worker {
	w := &Worker{
		q: db.New(pool), vault: v, clock: c, client: a.client(answerTimeout), gate: newGate(),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_webhook_attempts_total", Help: "Webhook delivery attempts by the state they left the event in.",
		}, []string{"event_status"}),
		snoozed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "gateway_webhook_snoozed_total", Help: "Webhook deliveries put off because too many were on their way to the same host.",
		}),
	}
	metrics.MustRegister(w.attempts, w.snoozed, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_webhook_in_flight", Help: "Webhook deliveries on their way.",
	}, w.gate.flying))
	return w
}

// Timeout implements river.Worker.
func (w *Worker) Timeout(*river.Job[delivery]) time.Duration { return jobTimeout }

// NextRetry implements river.Worker with the documented delays, or the longer one the endpoint asked for.
func (w *Worker) NextRetry(job *river.Job[delivery]) time.Time {
	delay := delays[min(job.Attempt, len(delays))-1]
	jitter := 0.9 + 0.2*rand.Float64()
	return time.Now().Add(max(time.Duration(float64(delay)*jitter), job.Args.retryAfter))
}

// Work implements river.Worker. A delivery to a crowded host is put off, which counts as no attempt.
func (w *Worker) Work(ctx context.Context, job *river.Job[delivery]) error {
	leave, back := w.gate.enter(ctx, endpointKey{job.Args.MerchantID, job.Args.Host}, putOff(job.Metadata))
	if leave == nil {
		w.snoozed.Inc()
		return river.JobSnooze(back)
	}
	leave = sync.OnceFunc(leave)
	defer leave()
	return w.attempt(ctx, job, leave)
}

// putOff is how often a job has been put off, by the queue's own count.
func putOff(metadata []byte) int {
	var m struct {
		Snoozes int `json:"snoozes"`
	}
	// What cannot be read counts as never.
	_ = json.Unmarshal(metadata, &m)
	return m.Snoozes
}

// attempt makes one attempt, kept whatever comes of it. It leaves the endpoint's place as soon as there is an answer: what
// is then written down keeps no merchant waiting.
func (w *Worker) attempt(ctx context.Context, job *river.Job[delivery], leave func()) error {
	event, err := w.q.WebhookDelivery(ctx, db.WebhookDeliveryParams{
		MerchantID: job.Args.MerchantID, ID: job.Args.EventID, Now: w.clock.Now(),
	})
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if event.Status != statusPending || event.Round != job.Args.Round {
		return nil
	}
	r := w.send(ctx, job.Args.EventID, event)
	leave()
	if r.unsigned != nil {
		slog.ErrorContext(ctx, "a webhook cannot be signed and is given up", "event", job.Args.EventID,
			"cashbox", event.CashboxID, "error", r.unsigned)
	}
	status := r.status(job.Attempt >= attempts)
	if err := w.keep(ctx, job.Args, r, status); err != nil {
		return err
	}
	w.attempts.WithLabelValues(status).Inc()
	job.Args.retryAfter = r.retryAfter // NextRetry is asked with the same job
	switch status {
	case statusDelivered:
		return nil
	case statusDead:
		return river.JobCancel(r.err())
	default:
		return r.err()
	}
}

// sign adds the signatures under every secret that is valid now.
func (w *Worker) sign(header http.Header, id uuid.UUID, at time.Time, event db.WebhookDeliveryRow) error {
	secrets, err := w.secrets(event)
	if err != nil {
		return err
	}
	return sign(header, id.String(), at, event.Body, secrets)
}

// secrets returns the cashbox's signing secrets that are valid now, the newest first. One before it that cannot be read
// is left out: the newest is enough for a receiver that has changed over, and for the others nothing could be done.
func (w *Worker) secrets(event db.WebhookDeliveryRow) ([]string, error) {
	newest, err := w.vault.Open(event.WebhookSecret, SecretPlace(event.CashboxID))
	if err != nil {
		return nil, err
	}
	secrets := []string{string(newest)}
	for _, sealed := range event.PreviousSecrets {
		if previous, err := w.vault.Open(sealed, SecretPlace(event.CashboxID)); err == nil && len(previous) > 0 {
			secrets = append(secrets, string(previous))
		}
	}
	return secrets, nil
}

// result is what came of one attempt.
type result struct {
	at       time.Time
	duration time.Duration
	// code is 0 when no answer came; then problem says why.
	code    int
	answer  []byte
	problem string
	// unsigned is why the event could not be signed: no attempt would end otherwise, until somebody has put that right.
	unsigned error
	// retryAfter is how long the endpoint asks to be left alone.
	retryAfter time.Duration
}

func (w *Worker) send(ctx context.Context, id uuid.UUID, event db.WebhookDeliveryRow) result {
	began := time.Now()
	r := result{at: w.clock.Now()}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, event.URL, bytes.NewReader(event.Body))
	if err != nil {
		r.problem = "the request could not be made"
		return r
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gateway-webhook/1")
	if r.unsigned = w.sign(request.Header, id, began, event); r.unsigned != nil {
		r.problem = "the event could not be signed"
		return r
	}
	response, err := w.client.Do(request)
	if err != nil {
		r.problem = problem(err)
	} else {
		defer func() { _ = response.Body.Close() }()
		r.code, r.retryAfter = response.StatusCode, retryAfter(response.Header, time.Now())
		r.answer, _ = io.ReadAll(io.LimitReader(response.Body, answerKept))
	}
	r.duration = time.Since(began)
	return r
}

// maxRetryAfter bounds what an endpoint can ask for.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads the Retry-After header, in seconds or as a date. What is neither asks for nothing.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return min(max(date.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// problem says in words fit for the merchant why no answer came: no address of ours, nothing of the network within.
func problem(err error) string {
	var timeout net.Error
	var dns *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork):
		return "the address is not allowed"
	case errors.As(err, &dns):
		return "the host name could not be resolved"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer within 15 s"
	case errors.As(err, &wrapped) && errors.Is(wrapped.Err, io.EOF):
		return "the connection was closed without an answer"
	default:
		return "the connection failed"
	}
}

func (r result) delivered() bool { return r.code >= 200 && r.code < 300 }

func (r result) status(last bool) string {
	switch {
	case r.delivered():
		return statusDelivered
	case r.code == http.StatusGone, r.unsigned != nil, last:
		return statusDead
	default:
		return statusPending
	}
}

func (r result) err() error {
	if r.code != 0 {
		return fmt.Errorf("the endpoint answered %d", r.code)
	}
	return errors.New(r.problem)
}

func (w *Worker) keep(ctx context.Context, job delivery, r result, status string) error {
	params := db.WebhookAttemptInsertParams{
		MerchantID: job.MerchantID, EventID: job.EventID, Round: job.Round, EventStatus: status, At: r.at,
		DurationMs: int32(min(r.duration.Milliseconds(), int64(time.Hour/time.Millisecond))),
		Answer:     r.answer,
	}
	if r.code != 0 {
		code := int32(r.code)
		params.StatusCode = &code
	} else {
		params.Error = &r.problem
	}
	// An attempt that was made is kept even if the job's time has just run out.
	if err := w.q.WebhookAttemptInsert(context.WithoutCancel(ctx), params); err != nil {
		return fmt.Errorf("keep attempt: %w", err)
	}
	return nil
}
