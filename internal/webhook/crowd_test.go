package webhook

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// insertMany writes many events of a merchant at once.
func (b *bundle) insertMany(t testing.TB, merchant dbtest.Merchant, url string, count int) {
	t.Helper()
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		inserts := make([]db.Query, 0, count)
		for range count {
			inserts = append(inserts, b.event(merchant, url).Insert()...)
		}
		return db.Pipeline(t.Context(), tx, inserts...)
	}))
}

// flood queues many events of a merchant at once.
func (b *bundle) flood(t testing.TB, merchant dbtest.Merchant, url string, count int) {
	t.Helper()
	b.insertMany(t, merchant, url, count)
	b.relayAll(t)
}

// hanging is an endpoint that never answers, and how many deliveries it ever
// had at once.
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

func (h *hanging) mostAtOnce() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.most
}

// unhindered wants a merchant's deliveries to come in while a crowd of others'
// hang, of which it waits for so many. None of those ever ends: who waited for
// one would wait in vain.
func (b *bundle) unhindered(t *testing.T, h *hanging, least int, crowd func()) {
	t.Helper()
	crowd()
	testenv.Until(t, fmt.Sprintf("%d deliveries hang", least), func() bool { return h.mostAtOnce() >= least })
	other, quick := b.newMerchant(t), newReceiver(t, codes(http.StatusOK))
	count := testenv.Pick(t, 20, 400)
	for range count {
		b.addFor(t, other, quick.URL)
	}
	testenv.Until(t, "every event has come in", func() bool { return len(quick.All()) == count })
}

// crowded is a bundle for unhindered.
func crowded(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	return setupWith(t, outbound.NewAddresses(true), time.Hour)
}

// Many events for an endpoint that hangs leave another merchant's deliveries as
// they were.
func TestHangingEndpointDelaysNobodyElse(t *testing.T) {
	b := crowded(t)
	h := newHanging(t)
	crowd := testenv.Pick(t, 100, 1000)
	b.unhindered(t, h, 1, func() { b.flood(t, b.merchant, h.URL, crowd) })
	testenv.Until(t, "few are on their way", func() bool { return b.metric(t, "gateway_webhook_in_flight") <= 3 })
	most := h.mostAtOnce()
	testenv.Check(t, most <= 2, "%d hung at once", most)
	waiting := b.Count(t,
		fmt.Sprint("select count(*) from webhook_delivery where attempts = 0 and merchant_id = ", b.merchant.ID))
	testenv.Check(t, waiting >= crowd-5, "%d wait for their first attempt", waiting)
}

// Endpoints of as many merchants hang, each with many events: a merchant whose
// endpoint answers does not notice.
func TestManyHangingEndpointsDelayNobodyElse(t *testing.T) {
	b := crowded(t)
	h := newHanging(t)
	endpoints, each := testenv.Pick(t, 20, 500), testenv.Pick(t, 5, 100)
	_, port := testenv.Must2(net.SplitHostPort(h.Listener.Addr().String()))(t)
	b.unhindered(t, h, endpoints/2, func() {
		for n := range endpoints {
			b.flood(t, b.newMerchant(t), "http://"+net.JoinHostPort("127.0.0.1", port)+"/"+strconv.Itoa(n), each)
		}
	})
	most := h.mostAtOnce()
	testenv.Check(t, most <= 2*endpoints, "%d hung at once", most)
}

// metric reads a counter or a gauge.
func (b *bundle) metric(t *testing.T, name string) float64 {
	t.Helper()
	return testenv.Metric(t, b.metrics, name)
}

// One merchant of many hosts has no more than a merchant's places.
func TestPlacesOfAMerchant(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	for i := range perMerchant {
		testenv.Need(t, p.first(1, false), "full after %d", i)
	}
	testenv.Check(t, !p.first(1, false) && !p.more(1) && len(p.full()) == 1 && p.full()[0] == 1,
		"a merchant got more than its places; full are %v", p.full())
	testenv.Check(t, p.first(2, false) && p.more(2), "another merchant has none")
	p.back(1, false)
	testenv.Check(t, len(p.full()) == 0 && p.more(1), "a place given back is not free")
}

// However many endpoints hang, there is a place for one that answers; and none
// gets a second one while many are taken.
func TestPlacesAreKeptForThoseWhoAnswer(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	quick, slow := p.free()
	testenv.Check(t, quick == placesAll && slow == placesSlow, "of empty places %d and %d are free", quick, slow)
	for merchant := range int64(placesSlow) {
		testenv.Need(t, p.first(merchant, true), "no place")
	}
	quick, slow = p.free()
	testenv.Check(t, quick == placesAll-placesSlow && slow == 0, "beside all that hang %d and %d are free", quick, slow)
	testenv.Check(t, p.first(placesSlow, false), "no place for one that answers")
	testenv.Check(t, !p.more(placesSlow), "a second one for an endpoint, while many wait for a first")
	for merchant := range int64(placesSlow) {
		p.back(merchant, true)
	}
	quick, slow = p.free()
	testenv.Check(t, quick == placesAll-1 && slow == placesSlow && p.more(placesSlow), "given back, %d and %d are free", quick, slow)
}
