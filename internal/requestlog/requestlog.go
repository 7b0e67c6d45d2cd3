// Package requestlog stores the requests of merchants' programs to the API for
// some days, for their developers: never a body, a query, a path or a secret.
// Requests are collected in memory and written by one worker, so that no
// request waits. Those that do not fit are counted and dropped.
package requestlog

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// Entry is an answered request.
type Entry struct {
	// MerchantID is the merchant whose key and secret were right. 0 means
	// that only the key id is known, which anybody can name.
	MerchantID int64
	KeyID      string
	// Address is where a request came from whose key is proved.
	Address string
	// Bounded says that only so many of them are stored for a key in a
	// minute, because anybody who knows the key's id can make them.
	Bounded bool
	Method  string
	// Path is a pattern or a procedure, never the real path.
	Path   string
	Status int
	// Code is the error code, or "".
	Code      string
	RequestID string
	Took      time.Duration

	at time.Time
}

const (
	// KeepFor is how long requests are kept.
	KeepFor = 7 * 24 * time.Hour
	// BoundedMost is how many bounded requests of a key each process stores
	// in a minute.
	BoundedMost = 30

	// room is how many requests may wait to be written; batch is how many
	// are written at a time.
	room, batch = 20_000, 2_000
	// boundedKeys is how many keys may have bounded requests in a minute.
	boundedKeys = 1_000
	writeEvery  = time.Second
	// writeLimit limits a write, and so how long a shutdown waits for the
	// last one.
	writeLimit = 5 * time.Second
	// pruned is how many requests are removed at a time.
	pruned = 5_000
)

// Log collects requests and writes them.
type Log struct {
	q       *db.Queries
	clock   clock.Clock
	dropped *prometheus.CounterVec
	// writing is held while writing.
	writing sync.Mutex

	mu      sync.Mutex
	waiting []Entry
	// seen are the addresses of keys that were noted in these hours; who
	// writes uses it.
	seen map[[2]string]time.Time
	// bounded counts bounded requests by their keys in a minute.
	bounded map[string]int
	minute  time.Time
}

// New makes the log. The pool is for background work.
func New(pool db.Pool, c clock.Clock, metrics prometheus.Registerer) *Log {
	l := &Log{
		q: db.New(pool), clock: c, bounded: map[string]int{}, seen: map[[2]string]time.Time{}, waiting: make([]Entry, 0, batch),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_request_log_dropped_total",
			Help: "Requests that are missing in merchants' request logs, by the reason: full, bounded, unwritten.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{"full", "bounded", "unwritten"} {
		l.dropped.WithLabelValues(reason)
	}
	metrics.MustRegister(l.dropped)
	return l
}

// Add stores an answered request if there is room. It never waits for the
// database.
func (l *Log) Add(e Entry) {
	e.at = l.clock.Now().Add(-e.Took)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Bounded && !l.admits(e.KeyID):
		l.dropped.WithLabelValues("bounded").Inc()
	case len(l.waiting) >= room:
		l.dropped.WithLabelValues("full").Inc()
	default:
		l.waiting = append(l.waiting, e)
	}
}

// admits counts a bounded request. Minutes are in real time, because the limit
// is on what strangers can make us write.
func (l *Log) admits(keyID string) bool {
	if now := time.Now(); now.Sub(l.minute) >= time.Minute {
		l.minute = now
		clear(l.bounded)
	}
	n, counted := l.bounded[keyID]
	if n >= BoundedMost || !counted && len(l.bounded) >= boundedKeys {
		return false
	}
	l.bounded[keyID] = n + 1
	return true
}

// Run writes every second until ctx ends, and then what is left.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		if err := l.Flush(context.WithoutCancel(ctx)); err != nil {
			slog.ErrorContext(ctx, "requests could not be written", "error", err)
		}
	}
}

// Flush writes what was collected. If the database is away, it is written the
// next time; if only the answer was lost, it is stored twice.
func (l *Log) Flush(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	for {
		l.mu.Lock()
		entries := append([]Entry(nil), l.waiting[:min(batch, len(l.waiting))]...)
		l.mu.Unlock()
		if len(entries) == 0 {
			return nil
		}
		err := l.write(ctx, entries)
		if db.Fault(err) != nil || ctx.Err() != nil {
			return err
		}
		if err != nil { // it would not be taken the next time, either
			l.dropped.WithLabelValues("unwritten").Add(float64(len(entries)))
		}
		l.forget(len(entries))
		if err != nil {
			return err
		}
	}
}

// forget removes the first n waiting requests. Only the goroutine that holds
// writing may call it.
func (l *Log) forget(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = l.waiting[:copy(l.waiting, l.waiting[n:])]
}

// write stores a batch of requests in one statement, after their addresses. A
// method that does not exist and an id that may be a secret are not stored as
// they came. What happens to the batch after an error is the caller's to
// decide.
func (l *Log) write(ctx context.Context, entries []Entry) error {
	var p db.ApiRequestInsertParams
	for i, e := range entries {
		p.MerchantIds = append(p.MerchantIds, e.MerchantID)
		p.Ats = append(p.Ats, e.at)
		p.Methods = append(p.Methods, knownMethod(e.Method))
		p.Paths = append(p.Paths, e.Path)
		p.Statuses = append(p.Statuses, int16(e.Status))
		p.Codes = append(p.Codes, e.Code)
		p.KeyIds = append(p.KeyIds, e.KeyID)
		p.RequestIds = append(p.RequestIds, kept(e.RequestID))
		p.Durations = append(p.Durations, e.Took.Microseconds())
		p.Places = append(p.Places, int32(i))
	}
	if err := l.noteAddresses(ctx, entries); err != nil { // first, since it bears to be repeated
		return err
	}
	if _, err := l.q.ApiRequestInsert(ctx, p); err != nil {
		return fmt.Errorf("write requests: %w", err)
	}
	return nil
}

const (
	// addressKept is how long an address is known that a key was used from,
	// seenFor how long this process need not note it again, and seenMost
	// how many it remembers.
	addressKept = 90 * 24 * time.Hour
	seenFor     = 6 * time.Hour
	seenMost    = 20_000
)

// noteAddresses records the addresses from which keys were used, so that
// merchants can be told of new ones.
func (l *Log) noteAddresses(ctx context.Context, entries []Entry) error {
	p := db.KeyAddressPutParams{At: l.clock.Now()}
	fresh := map[[2]string]bool{}
	for _, e := range entries {
		at := [2]string{e.KeyID, e.Address}
		if e.MerchantID == 0 || e.Address == "" || fresh[at] || p.At.Sub(l.seen[at]).Abs() < seenFor {
			continue
		}
		fresh[at] = true
		p.KeyIds, p.Addresses, p.MerchantIds = append(p.KeyIds, e.KeyID), append(p.Addresses, e.Address), append(p.MerchantIds, e.MerchantID)
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := l.q.KeyAddressPut(ctx, p); err != nil {
		return fmt.Errorf("note from where keys are used: %w", err)
	}
	if len(l.seen) > seenMost {
		clear(l.seen)
	}
	for at := range fresh {
		l.seen[at] = p.At
	}
	return nil
}

// Prune removes what is older than KeepFor, in batches, each in its own
// transaction.
func (l *Log) Prune(ctx context.Context) error {
	now := l.clock.Now()
	if err := l.q.KeyAddressPrune(ctx, db.KeyAddressPruneParams{Before: now.Add(-addressKept), Most: pruned}); err != nil {
		return fmt.Errorf("forget from where keys were used: %w", err)
	}
	before := now.Add(-KeepFor)
	for ctx.Err() == nil {
		gone, err := l.q.ApiRequestPrune(ctx, db.ApiRequestPruneParams{Most: pruned, Before: before})
		if err != nil {
			return fmt.Errorf("prune requests: %w", err)
		}
		if gone < pruned {
			return nil
		}
	}
	return ctx.Err()
}

// kept is the request id that is stored, or "" if it may be a secret.
func kept(id string) string {
	if IsHarmless(id) {
		return id
	}
	return ""
}

// knownMethod is a request's HTTP method, which callers choose too, or a
// stand-in.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "OTHER"
}
