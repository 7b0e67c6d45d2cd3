package webhook

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
)

// flood queues many events of a merchant at once.
func (b *bundle) flood(t testing.TB, merchant dbtest.Merchant, url string, count int) {
	t.Helper()
	noError(t, db.InTx(t.Context(), b.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		inserts := make([]db.Query, 0, count)
		for range count {
			inserts = append(inserts, b.event(merchant, url).Insert())
		}
		return db.Pipeline(t.Context(), tx, inserts...)
	}))
	b.relayAll(t)
}

// hanging is an endpoint that never answers, and how many deliveries it ever had at once.
type hanging struct {
	*httptest.Server
	mu        sync.Mutex
	now, most int
}

func newHanging(t *testing.T) *hanging {
	t.Helper()
	h := &hanging{}
	silent := make(chan struct{})
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		h.mu.Lock()
		h.now++
		h.most = max(h.most, h.now)
		h.mu.Unlock()
		select {
		case <-silent:
		case <-r.Context().Done():
		}
		h.mu.Lock()
		h.now--
		h.mu.Unlock()
	}))
	t.Cleanup(h.Close)
	t.Cleanup(func() { close(silent) })
	return h
}

// arrivals are when each event came in.
type arrivals struct {
	*httptest.Server
	mu sync.Mutex
	at map[uuid.UUID]time.Time
}

func newArrivals(t testing.TB) *arrivals {
	t.Helper()
	a := &arrivals{at: map[uuid.UUID]time.Time{}}
	a.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		now := time.Now()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.at[uuid.MustParse(r.Header.Get("webhook-id"))] = now
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.at)
}

// stream queues events of a merchant one after the other, and returns how long each took from its
// commit to the receiver, the shortest first.
func (b *bundle) stream(t *testing.T, merchant dbtest.Merchant, count int) []time.Duration {
	t.Helper()
	quick, committed := newArrivals(t), map[uuid.UUID]time.Time{}
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for range count {
		<-tick.C
		id := b.addFor(t, merchant, quick.URL)
		committed[id] = time.Now()
	}
	eventually(t, func() bool { return quick.count() == count })
	var took []time.Duration
	for id, at := range committed {
		took = append(took, quick.at[id].Sub(at))
	}
	slices.Sort(took)
	return took
}

// A thousand events for an endpoint that hangs leave another merchant's deliveries as they were,
// measured from the commit of the change to the receiver, while the first deliveries run into their
// timeout and others follow. It runs alone, for it measures time; what the machine is slower for
// anyway, it measures first.
func TestHangingEndpointDelaysNobodyElse(t *testing.T) {
	b := setup(t)
	other := b.newMerchant(t)
	before := b.stream(t, other, 25)
	allowed := time.Second + before[len(before)-1]
	h := newHanging(t)
	const crowd = 1000
	b.flood(t, b.merchant, h.URL, crowd)
	took := b.stream(t, other, 400)
	p99 := took[len(took)*99/100]
	t.Logf(
		"median %s, p99 %s, worst %s; before the crowd %s",
		took[len(took)/2],
		p99,
		took[len(took)-1],
		before[len(before)-1],
	)
	if p99 >= allowed {
		t.Errorf("p99 is %s", p99)
	}
	if flying := b.metric(t, "gateway_webhook_in_flight"); flying > 3 {
		t.Errorf("%v are on their way", flying)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// The receiver learns of a timeout a moment after the next delivery.
	if h.most < 1 || h.most > 2 {
		t.Errorf("%d hung at once", h.most)
	}
	var waiting int
	noError(
		t,
		b.Pool.QueryRow(t.Context(), "select count(*) from webhook_delivery where merchant_id = $1 and attempts = 0", b.merchant.ID).
			Scan(&waiting),
	)
	if waiting < crowd-5 {
		t.Errorf("%d wait for their first attempt", waiting)
	}
}

// Five hundred endpoints of as many merchants hang, each with a hundred events: a merchant whose
// endpoint answers does not notice.
func TestManyHangingEndpointsDelayNobodyElse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	b := setup(t)
	other := b.newMerchant(t)
	before := b.stream(t, other, 25)
	allowed := time.Second + before[len(before)-1]
	h := newHanging(t)
	const endpoints, each = 500, 100
	_, port, err := net.SplitHostPort(h.Listener.Addr().String())
	noError(t, err)
	began := time.Now()
	for n := range endpoints {
		b.flood(t, b.newMerchant(t), "http://"+net.JoinHostPort("127.0.0.1", port)+"/"+strconv.Itoa(n), each)
	}
	queued := time.Since(began)
	took := b.stream(t, other, 400)
	p99 := took[len(took)*99/100]
	t.Logf(
		"queued in %s; median %s, p99 %s, worst %s; before the crowd %s",
		queued,
		took[len(took)/2],
		p99,
		took[len(took)-1],
		before[len(before)-1],
	)
	if p99 >= allowed {
		t.Errorf("p99 is %s", p99)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.most < endpoints/2 || h.most > 2*endpoints {
		t.Errorf("%d hung at once", h.most)
	}
}

// metric reads a counter or a gauge without labels.
func (b *bundle) metric(t *testing.T, name string) float64 {
	t.Helper()
	families, err := b.metrics.Gather()
	noError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			metric := family.GetMetric()[0]
			return metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// A backlog of one endpoint that answers is worked off at full speed.
func TestBacklogOfOneEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	quick := newArrivals(t)
	const count = 500
	began := time.Now()
	b.flood(t, b.merchant, quick.URL, count)
	eventually(t, func() bool { return quick.count() == count })
	t.Logf("%d in %s", count, time.Since(began))
}
