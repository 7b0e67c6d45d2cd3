package webhook

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

const (
	// aheadPerPlace is how many deliveries are read at a time for each one
	// that may be in progress.
	aheadPerPlace = 5
	// goodFor is how long deliveries that were read are sent without
	// reading them again. After that the secret may have changed.
	goodFor = 500 * time.Millisecond
	// lookEvery is how often a visit looks for more deliveries while others
	// are in progress.
	lookEvery = 100 * time.Millisecond
	// leaveEvery is how often a visit tries to end its lease while the
	// database is not available.
	leaveEvery = time.Second
)

// visit is the work on one leased endpoint, until no delivery is due. It begins
// with one delivery at a time, and with each answer it may have one more in
// progress. After an attempt without an answer it begins no more, and the
// endpoint has to wait for another lease. So an endpoint that hangs takes one
// place, however many deliveries wait for it, and one that answers soon has all
// the places that it may have.
type visit struct {
	d   *Deliverer
	key endpointKey
	// slow says that the last attempt had no answer. hadNone is its value
	// at the beginning of the visit, and placed says that the visit got its
	// first place.
	slow, hadNone, placed bool
	// over says that no more deliveries are sent.
	over atomic.Bool

	// due are deliveries that were read and not begun; more says that there
	// were more to read.
	due    []db.WebhookDeliveriesDueRow
	readAt time.Time
	more   bool
	// under are the deliveries that have begun and are not stored yet.
	// sending is how many of them have no answer yet, and width is how many
	// may be sending at a time.
	under          map[uuid.UUID]bool
	sending, width int
	news           chan news
}

// news tells a visit about a delivery: first whether it was answered, then that
// this is stored.
type news struct {
	id       uuid.UUID
	answered bool
	written  bool
	err      error
}

// run delivers what is due at an endpoint, and ends the lease when nothing more
// is to be sent or the process stops. It waits for all that it has begun, until
// each result is stored.
func (v *visit) run(ctx context.Context) {
	defer v.leave(ctx)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	v.more = true
	for {
		v.begin(ctx)
		if len(v.under) == 0 {
			return
		}
		select {
		case n := <-v.news:
			v.receive(n)
		case <-look.C:
			v.more = true
		}
	}
}

// begin sends due deliveries, as far as there are places.
func (v *visit) begin(ctx context.Context) {
	for v.sending < v.width && ctx.Err() == nil && !v.over.Load() {
		if len(v.due) > 0 && time.Since(v.readAt) > goodFor {
			v.due, v.more = nil, true
		}
		if len(v.due) == 0 && (!v.more || !v.read(ctx)) {
			return
		}
		if v.sending > 0 && !v.d.places.more(v.key.merchantID) {
			return
		}
		event := v.due[0]
		v.due = v.due[1:]
		v.under[event.EventID] = true
		v.sending++
		// An attempt that has begun is completed, also when the process
		// stops.
		go v.d.attempt(context.WithoutCancel(ctx), v.key, event, func(n news) { v.news <- n })
	}
}

// read reads the next due deliveries, and reports whether there are any.
func (v *visit) read(ctx context.Context) bool {
	most := aheadPerPlace * v.width
	v.readAt = time.Now()
	var err error
	v.due, err = v.d.q.WebhookDeliveriesDue(ctx, db.WebhookDeliveriesDueParams{
		MerchantID: v.key.merchantID, Host: v.key.host, Under: slices.Collect(maps.Keys(v.under)), Most: int32(most),
	})
	if err != nil {
		if ctx.Err() == nil {
			slog.ErrorContext(ctx, "deliveries could not be read", "merchant", v.key.merchantID, "host", v.key.host, "error", err)
		}
		v.over.Store(true)
		return false
	}
	v.more = len(v.due) == most
	return len(v.due) > 0
}

// receive takes news of a delivery: first its answer, then that it is stored.
// No more deliveries are begun after one without an answer, or one that could
// not be stored. Only run calls it, so that what it changes needs no lock.
func (v *visit) receive(n news) {
	switch {
	case n.written:
		delete(v.under, n.id)
		if n.err != nil {
			v.over.Store(true)
		}
	default:
		if v.sending--; v.sending > 0 {
			v.d.places.back(v.key.merchantID, false)
		}
		if v.slow = !n.answered; v.slow {
			v.over.Store(true)
		}
		v.width = min(v.width+1, perEndpoint)
	}
}

// leave ends the lease. It stops trying once the lease has expired by itself,
// or when the process stops.
func (v *visit) leave(ctx context.Context) {
	if v.placed {
		v.d.places.back(v.key.merchantID, v.hadNone)
	}
	hold := db.Do((*db.Queries).WebhookEndpointHold, db.WebhookEndpointHoldParams{MerchantID: v.key.merchantID, Host: v.key.host})
	leave := db.Do((*db.Queries).WebhookEndpointLeave, db.WebhookEndpointLeaveParams{
		MerchantID: v.key.merchantID, Host: v.key.host, Holder: v.d.holder, Slow: v.slow,
	})
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseLasts)
	defer cancel()
	for ; ending.Err() == nil; time.Sleep(leaveEvery) {
		err := v.d.left.Write(ending, nil, db.Locks(db.LocksEndpoint, v.key.merchantID, hold, leave)...)
		if err == nil {
			break
		}
		slog.ErrorContext(
			ctx,
			"the lease of an endpoint could not be ended",
			"merchant",
			v.key.merchantID,
			"host",
			v.key.host,
			"error",
			err,
		)
		if ctx.Err() != nil { // the process stops, and the lease ends by itself
			break
		}
	}
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	if v.d.visits[v.key] == v {
		delete(v.d.visits, v.key)
	}
}
