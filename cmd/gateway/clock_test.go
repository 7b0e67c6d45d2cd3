package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// A process whose clock is more than a minute off is not ready, and says why. Its rounds that judge by the time are passed by
// until the clock is right.
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
