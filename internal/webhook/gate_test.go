package webhook

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

var somewhere = endpointKey{merchantID: 1, host: "shop.example"}

// fill takes every place of an endpoint.
func fill(t *testing.T, g *gate, key endpointKey) (leave []func()) {
	t.Helper()
	for range perEndpoint {
		out, _ := g.enter(t.Context(), key, 0)
		if out == nil {
			t.Fatalf("%v is full after %d", key, len(leave))
		}
		leave = append(leave, out)
	}
	return leave
}

// wantTurnedAway wants no place, and the answer at once.
func wantTurnedAway(t *testing.T, g *gate, key endpointKey) {
	t.Helper()
	began := time.Now()
	if out, back := g.enter(t.Context(), key, 0); out != nil || back <= 0 || time.Since(began) != 0 {
		t.Errorf("one more got in, or is to come back after %s, said after %s", back, time.Since(began))
	}
}

func TestGateIsPerMerchantAndHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		time.Sleep(time.Second) // it hangs
		wantTurnedAway(t, g, somewhere)
		fill(t, g, endpointKey{somewhere.merchantID, "other.example"})
		fill(t, g, endpointKey{2, somewhere.host})
		leave[3]()
		if out, _ := g.enter(t.Context(), somewhere, 0); out == nil {
			t.Error("a place given back is not free")
		}
		if got := g.flying(); got != 3*perEndpoint {
			t.Errorf("%v are on their way", got)
		}
	})
}

// A merchant cannot take all workers by having many hosts.
func TestGateBoundsAMerchant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		let := 0
		for i := range 2 * perMerchant {
			if out, _ := g.enter(t.Context(), endpointKey{1, string(rune(97 + i))}, 0); out != nil {
				let++
			}
		}
		if let != perMerchant {
			t.Errorf("%d of one merchant's got in", let)
		}
		wantTurnedAway(t, g, endpointKey{1, "a"})
		fill(t, g, endpointKey{2, "a"})
	})
}

// Whoever is turned away stays away for twice as long each time, up to a minute, and a crowd does not come back at once.
func TestGateSpreadsTheCrowd(t *testing.T) {
	t.Parallel()
	for before, middle := range map[int]time.Duration{
		0: 250 * time.Millisecond, 1: 500 * time.Millisecond, 5: 8 * time.Second, 8: time.Minute, 1000: time.Minute,
	} {
		least, most := time.Hour, time.Duration(0)
		for range 10_000 {
			back := backAfter(before)
			least, most = min(least, back), max(most, back)
		}
		if least < middle/2 || least > middle*6/10 || most > middle*3/2 || most < middle*14/10 {
			t.Errorf("after %d times back after %s to %s, not about %s", before, least, most, middle)
		}
	}
}

// While places come free the next in line follows at once: first come, first served.
func TestGateLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		const waiting = 5
		served := make(chan int, waiting)
		for i := range waiting {
			go func() {
				if out, _ := g.enter(context.Background(), somewhere, 0); out != nil {
					served <- i
				}
			}()
			synctest.Wait()
		}
		for i := range waiting {
			time.Sleep(time.Millisecond)
			leave[i]()
			synctest.Wait()
			if len(served) != 1 || <-served != i {
				t.Fatalf("place %d did not go to the next", i)
			}
		}
		if got := g.flying(); got != perEndpoint {
			t.Errorf("%v are on their way", got)
		}
	})
}

// A line that moves is stood in for a second, however long its patience.
func TestGateLineMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		const waiting = 30
		outs := make(chan func(), waiting)
		for range waiting {
			go func() {
				out, _ := g.enter(context.Background(), somewhere, 0)
				outs <- out
			}()
			synctest.Wait()
		}
		served, away := 0, 0
		next := leave[0]
		for served+away < waiting {
			time.Sleep(51 * time.Millisecond) // a place comes free 19 times in a second
			next()
			synctest.Wait()
			for len(outs) > 0 {
				if out := <-outs; out != nil {
					served++
					next = out
				} else {
					away++
				}
			}
		}
		if served != 19 || away != waiting-19 || g.inLine != 0 {
			t.Errorf("%d served, %d turned away, %d still in line", served, away, g.inLine)
		}
	})
}

// All lines together leave workers for others.
func TestGateLinesHaveAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		for i := range linesMost / lineMost {
			crowded := endpointKey{1, string(rune(97 + i))}
			fill(t, g, crowded)
			for range lineMost {
				go func() { _, _ = g.enter(t.Context(), crowded, 0) }()
			}
		}
		fill(t, g, somewhere)
		for range linesMost % lineMost {
			go func() { _, _ = g.enter(t.Context(), somewhere, 0) }()
		}
		synctest.Wait()
		wantTurnedAway(t, g, somewhere)
	})
}

func TestGateLineHasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		fill(t, g, somewhere)
		for range lineMost {
			go func() { _, _ = g.enter(t.Context(), somewhere, 0) }()
		}
		synctest.Wait()
		wantTurnedAway(t, g, somewhere)
	})
}

// Standing in line ends when the endpoint turns out to hang, or the process stops.
func TestGateLineGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if out, _ := g.enter(ctx, somewhere, 0); out != nil || time.Since(began) != 0 {
			t.Error("it waits although the process stops")
		}
		if out, back := g.enter(t.Context(), somewhere, 0); out != nil || back <= 0 {
			t.Error("it got in")
		}
		if waited := time.Since(began); waited != linePatience {
			t.Errorf("it waited for %s", waited)
		}
		wantTurnedAway(t, g, somewhere)
		for _, out := range leave {
			out()
		}
		if len(g.endpoints) != 0 || g.flying() != 0 || len(g.merchants) != 0 {
			t.Error("who gave up, or who left, still takes a place")
		}
	})
}
