package webhook

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	// writeMost is how many writes one transaction takes.
	writeMost = 100
	// writeLimit limits a transaction if the database is slow.
	writeLimit = 10 * time.Second
)

// writer stores the results of deliveries, many of them in one transaction: all that arrived while the previous
// transaction was running. They are written in the order of their endpoints, which is the order in which a relay
// locks endpoints, so that the two never deadlock.
type writer struct {
	pool db.Pool

	mu      sync.Mutex
	waiting []*write
	busy    bool
}

type write struct {
	of      endpointKey
	queries []db.Query
	done    chan error
}

// write runs queries about an endpoint, and returns once they are committed.
func (w *writer) write(of endpointKey, queries ...db.Query) error {
	one := &write{of: of, queries: queries, done: make(chan error, 1)}
	w.mu.Lock()
	w.waiting = append(w.waiting, one)
	if !w.busy {
		w.busy = true
		go w.run()
	}
	w.mu.Unlock()
	return <-one.done
}

// run writes until nothing is waiting.
func (w *writer) run() {
	for {
		w.mu.Lock()
		count := min(len(w.waiting), writeMost)
		if count == 0 {
			w.busy = false
			w.mu.Unlock()
			return
		}
		batch := w.waiting[:count:count]
		slices.SortStableFunc(batch, func(a, b *write) int {
			return cmp.Or(cmp.Compare(a.of.merchantID, b.of.merchantID), cmp.Compare(a.of.host, b.of.host))
		})
		w.waiting = w.waiting[count:]
		w.mu.Unlock()
		w.commit(batch)
	}
}

// commit writes a batch. If the database refuses it, each write is made in a transaction of its own, so that one
// that fails does not prevent the others.
func (w *writer) commit(batch []*write) {
	var queries []db.Query
	for _, one := range batch {
		queries = append(queries, one.queries...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	err := db.Write(ctx, w.pool, queries...)
	cancel()
	// A batch with an unknown result is not written again, because it may be committed.
	refused := new(pgconn.PgError)
	if len(batch) > 1 && errors.As(err, &refused) && !errors.Is(err, fault.ErrOutcomeUnknown) {
		for _, one := range batch {
			w.commit([]*write{one})
		}
		return
	}
	for _, one := range batch {
		one.done <- err
	}
}
