package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gateway.example/internal/db"
)

// ops serves metrics, health and readiness for those who run the gateway.
type ops struct {
	metrics *prometheus.Registry
	// check asks the database. It is set when the gateway is ready, and
	// removed when it begins to stop.
	check atomic.Pointer[func(context.Context) error]
}

// newOps makes the registry of metrics, before everything else. The process is
// not ready until check is set. Each scrape runs the check, for at most
// readyTimeout.
func newOps() *ops {
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	o := &ops{metrics: metrics}
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_ready",
		Help: "1 while /readyz answers 200, and 0 while the process starts, stops, has other keys, a wrong clock or no database.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
		defer cancel()
		if o.unready(ctx) != nil {
			return 0
		}
		return 1
	}))
	return o
}

// readyTimeout is how long the database may take to answer.
const readyTimeout = 2 * time.Second

var errNotReady = errors.New("the process starts or stops")

// unready is the reason why the process should get no requests, or nil.
func (o *ops) unready(ctx context.Context) error {
	check := o.check.Load()
	if check == nil {
		return errNotReady
	}
	return (*check)(ctx)
}

func (o *ops) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", o.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.metrics, promhttp.HandlerOpts{}))
	return mux
}

// ready answers load balancers: 200, or 503 if the process should get no
// requests. The text names only the gateway's own reasons and quotes no error
// of the database.
func (o *ops) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	switch err := o.unready(ctx); {
	case errors.Is(err, errNotReady), errors.Is(err, errKeysDiffer), errors.Is(err, errClockWrong):
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, "not ready: the database does not answer", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ready\n"))
}

// mostQueued is where counting deliveries stops: a merchant whose endpoint was
// down for days may have more, and counting them all would cost too much.
const mostQueued = 100_000

func watchQueues(metrics prometheus.Registerer, q *db.Queries) {
	metrics.MustRegister(
		asked("gateway_webhook_deliveries_queued",
			"Webhook deliveries that are queued, also for a later attempt; at most 100000 are counted.",
			func(ctx context.Context) (int64, error) { return q.WebhookDeliveryCount(ctx, mostQueued) }),
		asked("gateway_webhook_delivery_wait_seconds",
			"How long the endpoint waits that has due deliveries, answers, and is in no process's hands; 0 if there is none.",
			q.WebhookEndpointWait),
		asked("gateway_settlements_waiting", "Completed payments that wait for a fresh rate to be settled at.", q.SettlementDueCount),
	)
}

// errClockWrong is why a process is not ready: with a wrong clock it would
// expire payments too early.
var errClockWrong = errors.New("the clock differs from the database's by more than a minute")

func watchClock(metrics prometheus.Registerer, skew *db.Skew) {
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_clock_skew_seconds",
		Help: "How far the clock of the process is ahead of the database's; less than 0 is behind.",
	}, func() float64 { return skew.By().Seconds() }))
}

// readiness is the reason why a started process should get no requests, or
// nil.
func (g *gateway) readiness(ctx context.Context) error {
	if g.skew.Wrong() {
		return errClockWrong
	}
	return g.keysAgree(ctx)
}

// watchReplica adds metrics of the read replica: its delay, and whether lists
// are read from it.
func watchReplica(metrics prometheus.Registerer, replica *db.Replica) {
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_read_replica_lag_seconds",
		Help: "How late the replica is that lists are read from; -1 while it does not answer. Only where there is one.",
	}, func() float64 {
		lag, known := replica.Lag()
		if !known {
			return -1
		}
		return lag.Seconds()
	}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_read_replica_used",
		Help: "1 while lists are read from the replica, 0 while they are read from the primary instead.",
	}, func() float64 {
		if replica.Usable() {
			return 1
		}
		return 0
	}))
}

// watchPools registers how many connections each pool uses, has and may have.
// The values are read from the pool at each scrape; no query is made.
func watchPools(metrics prometheus.Registerer, pools map[string]db.Pool) {
	for name, pool := range pools {
		gauge := func(metric, help string, value func(*pgxpool.Stat) int32) {
			metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: metric, Help: help, ConstLabels: prometheus.Labels{"pool": name},
			}, func() float64 { return float64(value(pool.Stat())) }))
		}
		gauge("gateway_db_connections_acquired", "Connections in use.", (*pgxpool.Stat).AcquiredConns)
		gauge("gateway_db_connections_total", "Connections open.", (*pgxpool.Stat).TotalConns)
		gauge("gateway_db_connections_max", "Connections allowed.", (*pgxpool.Stat).MaxConns)
	}
}
