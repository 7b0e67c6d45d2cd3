package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// What waits is counted: settlements and deliveries.
func TestQueuesAreCounted(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	metrics := prometheus.NewRegistry()
	watchQueues(metrics, d.Queries())
	want := func(settlements, deliveries, wait float64) {
		t.Helper()
		wantGauges(t, metrics, map[string]float64{
			"gateway_settlements_waiting": settlements, "gateway_webhook_deliveries_queued": deliveries,
			"gateway_webhook_delivery_wait_seconds": wait,
		})
	}
	want(0, 0, 0)
	for _, sql := range []string{
		"insert into settlement_due (merchant_id, payment_id, currency, since) select 1, n, 'RUB', now() from generate_series(1, 3) n",
		`insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
			select 1, gen_random_uuid(), 'shop.example', now(), 0 from generate_series(1, 2)`,
		// One has waited for 90 s, one is being delivered to, one is
		// not due, and one does not answer.
		`insert into webhook_endpoint (merchant_id, host, due_at, leased_until, slow) values
			(1, 'a', now() - interval '90.2 s', '-infinity', false), (1, 'b', now() - interval '1 h', now() + interval '1 m', false),
			(1, 'c', now() + interval '1 h', '-infinity', false), (1, 'd', now() - interval '1 h', '-infinity', true)`,
	} {
		d.Exec(t, sql)
	}
	want(3, 2, 90)
	d.Pool.Close()
	want(-1, -1, -1)
}

func wantGauges(t *testing.T, metrics prometheus.Gatherer, want map[string]float64) {
	t.Helper()
	families := testenv.Must(metrics.Gather())(t)
	testenv.Want(t, len(families), len(want), "metrics")
	for _, family := range families {
		testenv.Want(t, family.GetMetric()[0].GetGauge().GetValue(), want[family.GetName()], "%s", family.GetName())
	}
}

func TestGarbagePart(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for live, want := range map[uint64]int{0: 400, 4 * mb: 400, 32 * mb: 400, 64 * mb: 200, 128 * mb: 100, 256 * mb: 50, 4096 * mb: 50} {
		testenv.Want(t, garbagePart(live), want, "%d MB live", live/mb)
	}
	testenv.Check(t, liveBytes() <= 1<<40, "what lives is not known")
}

// A process whose clock is more than a minute off is not ready, and says why.
// Its rounds that judge by the time are passed by until the clock is right.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var ahead time.Duration
	skew := db.NewSkew(func() time.Time { return time.Now().Add(ahead) })
	g := &gateway{services: services{skew: skew}, ops: newOps()}
	ready := g.readiness
	g.ops.check.Store(&ready)
	rounds := 0
	work := unlessWrong(g.skew, func(context.Context) error { rounds++; return nil })
	for _, ahead = range []time.Duration{time.Hour, -time.Hour} {
		testenv.NoError(t, g.skew.Watch(t.Context(), d.Pool), work(t.Context()))
		testenv.Want(t, rounds, 0, "rounds by a wrong clock")
		err := g.readiness(t.Context())
		testenv.Check(t, errors.Is(err, errClockWrong), "%s ahead: %v", ahead, err)
		answer := httptest.NewRecorder()
		g.ops.handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
		testenv.Want(t, answer.Body.String(), "not ready: "+errClockWrong.Error()+"\n", "the answer of /readyz")
	}
	ahead = 0
	testenv.NoError(t, g.skew.Watch(t.Context(), d.Pool), work(t.Context()))
	testenv.Want(t, rounds, 1, "rounds by a clock that is right again")
	for _, l := range g.timelessLoops() {
		switch l.name {
		case "expire", "expire payouts", "settle", "summarise", "seal days", "purge", "tidy", "prune cards":
			t.Errorf("%q goes on by a wrong clock", l.name)
		}
	}
}

// A webhook is on its way soon after the change that it tells of: as long as
// there may be new events (TestStirred in internal/webhook), they are looked
// for many times a second.
func TestEventsAreRelayedSoon(t *testing.T) {
	t.Parallel()
	loops := new(gateway).timelessLoops()
	i := slices.IndexFunc(loops, func(l loop) bool { return l.name == "relay events" })
	testenv.Check(t, i >= 0 && loops[i].every <= 50*time.Millisecond, "the relay is %d of %v", i, loops)
}
