package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/outbound"
	"gateway.example/internal/tracing"
	"gateway.example/internal/vault"
)

// States of an event.
const (
	statusPending   = "pending"
	statusDelivered = "delivered"
	statusDead      = "dead"
)

const (
	// leaseEvery is how often a process looks for endpoints with due
	// deliveries, and leaseMost is how many it leases at a time. Of
	// endpoints whose last attempt had no answer it leases at most
	// leaseMostSlow, so that many hanging endpoints do not all come back at
	// once.
	leaseEvery    = 40 * time.Millisecond
	leaseMost     = 200
	leaseMostSlow = 20
	// leaseLasts is how long an endpoint waits after the process that
	// leased it has died. It is longer than an attempt.
	leaseLasts = 30 * time.Second
	renewEvery = 10 * time.Second
	// together is how many attempts are stored in one transaction, and turn
	// how long one waits for those before it.
	together = 100
	turn     = 50 * time.Millisecond
	// writeLimit is how long it may take to store an attempt, or to end a
	// lease.
	writeLimit = 10 * time.Second
)

// Deliverer makes the due deliveries. Several processes share them by leases of
// endpoints. The holder of a lease reads an endpoint's deliveries without
// locking or marking them, and deletes a delivery in the transaction that
// stores its attempt. After a crash the lease ends, and attempts that were not
// stored are made again, so an event may be delivered more than once. No
// connection or transaction is held while waiting for a merchant's answer.
type Deliverer struct {
	q      *db.Queries
	vault  *vault.Vault
	clock  clock.Clock
	client *http.Client
	// attempted stores attempts, and left ends leases, which locks the
	// endpoints: a relay often has them locked.
	attempted, left *db.Writer
	places          *places
	inFlight        atomic.Int64
	attempts        *prometheus.CounterVec

	// holder identifies this process in its leases.
	holder uuid.UUID
	mu     sync.Mutex
	visits map[endpointKey]*visit
}

// NewDeliverer makes the deliverer. a decides which addresses may be called.
// The metrics are the attempts by result and the deliveries in progress.
func NewDeliverer(
	pool db.Pool,
	v *vault.Vault,
	c clock.Clock,
	a *outbound.Addresses,
	metrics prometheus.Registerer,
) *Deliverer {
	d := &Deliverer{
		q:         db.New(pool),
		vault:     v,
		clock:     c,
		client:    a.Client(answerTimeout),
		attempted: db.NewWriter(pool, together, turn),
		left:      db.NewWriter(pool, together, turn),
		places:    newPlaces(),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_webhook_attempts_total",
			Help: "Webhook delivery attempts by the state they left the event in.",
		}, []string{"event_status"}),
		holder: uuid.New(),
		visits: map[endpointKey]*visit{},
	}
	// The series exist from the start, so that the first dead event shows
	// as an increase.
	for _, status := range []string{statusPending, statusDelivered, statusDead} {
		d.attempts.WithLabelValues(status)
	}
	metrics.MustRegister(d.attempts, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_webhook_in_flight", Help: "Webhook deliveries on their way.",
	}, func() float64 { return float64(d.inFlight.Load()) }))
	return d
}

// Run makes deliveries until ctx ends, and returns when those in progress have
// ended.
func (d *Deliverer) Run(ctx context.Context) {
	var running sync.WaitGroup
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		d.renewAll(renewing)
	}()
	look := time.NewTicker(leaseEvery)
	defer look.Stop()
	for looked := time.Now(); ctx.Err() == nil; {
		if queued.due(looked) {
			looked = time.Now()
			visits, err := d.lease(ctx)
			if err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "deliveries could not be looked for", "error", err)
			}
			for _, v := range visits {
				queued.stir()
				running.Go(func() { v.run(ctx) })
			}
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		}
	}
	running.Wait()
	stop()
	<-renewed
}

// lease leases as many endpoints with due deliveries as there are free places.
func (d *Deliverer) lease(ctx context.Context) ([]*visit, error) {
	var visits []*visit
	for _, slow := range []bool{false, true} {
		free, freeSlow := d.places.free()
		most := min(free, leaseMost)
		if slow {
			most = min(freeSlow, leaseMostSlow)
		}
		if most <= 0 {
			continue
		}
		rows, err := d.q.WebhookEndpointLease(ctx, db.WebhookEndpointLeaseParams{
			Holder: d.holder, Seconds: leaseLasts.Seconds(), Slow: slow, Without: d.places.full(), Most: int32(most),
		})
		if err != nil {
			return visits, fmt.Errorf("lease endpoints: %w", err)
		}
		for _, row := range rows {
			visits = append(visits, d.visit(endpointKey{row.MerchantID, row.Host}, slow))
		}
	}
	return visits, nil
}

func (d *Deliverer) visit(key endpointKey, slow bool) *visit {
	v := &visit{
		d: d, key: key, slow: slow, hadNone: slow, width: 1, under: map[uuid.UUID]bool{}, news: make(chan news),
	}
	v.over.Store(!d.places.first(key.merchantID, slow))
	v.placed = !v.over.Load()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.visits[key] = v
	return v
}

// renewAll extends the leases of the endpoints that are being visited. If a
// lease was lost, for example because this process was frozen, its visit ends.
func (d *Deliverer) renewAll(ctx context.Context) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := d.renew(ctx); err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "leases of endpoints could not be renewed", "error", err)
			}
		}
	}
}

// renew extends the leases of all visits of this process. A visit without its
// lease begins no more deliveries, because another process may have the
// endpoint by now; what it has begun, it completes. If the database does not
// answer, the visits go on.
func (d *Deliverer) renew(ctx context.Context) error {
	d.mu.Lock()
	lost := make(map[endpointKey]*visit, len(d.visits))
	params := db.WebhookEndpointRenewParams{Holder: d.holder, Seconds: leaseLasts.Seconds()}
	for key, v := range d.visits {
		lost[key] = v
		params.MerchantIds, params.Hosts = append(params.MerchantIds, key.merchantID), append(params.Hosts, key.host)
	}
	d.mu.Unlock()
	if len(lost) == 0 {
		return nil
	}
	kept, err := d.q.WebhookEndpointRenew(ctx, params)
	if err != nil {
		return fmt.Errorf("renew leases: %w", err)
	}
	for _, row := range kept {
		delete(lost, endpointKey{row.MerchantID, row.Host})
	}
	for _, v := range lost {
		v.over.Store(true)
	}
	return nil
}

// attempt makes one attempt. It tells the visit the result, and tells it again
// once the result is stored.
func (d *Deliverer) attempt(ctx context.Context, key endpointKey, event db.WebhookDeliveriesDueRow, tell func(news)) {
	ctx, span := d.trace(ctx, key, event)
	d.inFlight.Add(1)
	r := d.send(ctx, event)
	d.inFlight.Add(-1)
	answered := r.code != 0 || r.unsigned != nil
	tell(news{id: event.EventID, answered: answered})
	if r.unsigned != nil {
		slog.ErrorContext(ctx, "a webhook cannot be signed and is given up", "event", event.EventID,
			"cashbox", event.CashboxID, "error", r.unsigned)
	}
	status := r.status(int(event.Attempts)+1 >= attempts)
	span.SetAttributes(tracing.Status.Int(r.code), tracing.Outcome.String(status))
	tracing.Failed(span, !r.delivered())
	span.End()
	storing, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	err := d.attempted.Write(storing, []db.Query{keep(key.merchantID, event, r, status)})
	if err != nil {
		slog.ErrorContext(
			ctx,
			"an attempt at a delivery could not be kept and is made again",
			"event",
			event.EventID,
			"error",
			err,
		)
	} else {
		d.attempts.WithLabelValues(status).Inc()
	}
	tell(news{id: event.EventID, written: true, err: err})
}

// trace begins the span of an attempt, in the trace of the request that created
// the event's subject.
func (d *Deliverer) trace(
	ctx context.Context, key endpointKey, event db.WebhookDeliveriesDueRow,
) (context.Context, trace.Span) {
	var request *string
	if tracing.On() { // without tracing the query would be for nothing
		params := db.WebhookEventRequestParams{MerchantID: key.merchantID, ID: event.EventID}
		request, _ = d.q.WebhookEventRequest(ctx, params)
	}
	ctx, span := tracing.Continue(ctx, request, "webhook attempt", tracing.Outgoing())
	span.SetAttributes(tracing.Event.String(event.EventID.String()), tracing.Attempt.Int(int(event.Attempts)+1))
	return ctx, span
}

// keep stores an attempt. If the event is still pending, it also schedules the
// next one.
func keep(merchantID int64, event db.WebhookDeliveriesDueRow, r result, status string) db.Query {
	params := db.WebhookAttemptInsertParams{
		MerchantID: merchantID, EventID: event.EventID, Round: event.Round, EventStatus: status, At: r.at,
		DurationMs: int32(min(r.duration.Milliseconds(), int64(time.Hour/time.Millisecond))),
		Answer:     r.answer, AgainSeconds: backoff(int(event.Attempts)+1, r.retryAfter).Seconds(),
	}
	if r.code != 0 {
		code := int32(r.code)
		params.StatusCode = &code
	} else {
		params.Error = &r.problem
	}
	return db.Do((*db.Queries).WebhookAttemptInsert, params)
}

// backoff is the delay before the next attempt: the documented one, or a longer
// one that the endpoint asked for.
//
//rule:when a webhook is tried again, and what the endpoint's Retry-After does to that
func backoff(made int, retryAfter time.Duration) time.Duration {
	delay := delays[min(made, len(delays))-1]
	jitter := 0.9 + 0.2*rand.Float64()
	return max(time.Duration(float64(delay)*jitter), retryAfter)
}
