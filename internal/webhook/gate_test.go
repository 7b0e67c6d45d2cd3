package webhook

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var somewhere = endpointKey{merchantID: 1, host: "shop.example"}

// fill takes every place of an endpoint.
func fill(t *testing.T, g *gate, key endpointKey) (leave []func(time.Duration)) {
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

func TestGateIsPerMerchantAndHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		time.Sleep(5 * time.Second) // it hangs
		if out, back := g.enter(t.Context(), somewhere, 0); out != nil || back <= 0 {
			t.Errorf("one more got in, or is to come back after %s", back)
		}
		fill(t, g, endpointKey{somewhere.merchantID, "other.example"})
		fill(t, g, endpointKey{2, somewhere.host})
		leave[3](time.Millisecond)
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
		fill(t, g, endpointKey{2, "a"})
	})
}

// hang makes an endpoint known to hang, and fills it again.
func hang(t *testing.T, g *gate, key endpointKey) {
	t.Helper()
	leave := fill(t, g, key)
	time.Sleep(15 * time.Second)
	for _, out := range leave {
		out(15 * time.Second)
	}
	fill(t, g, key)
}

// turnAway has an endpoint turn a crowd away, and returns how long they are to stay away, the shortest first.
func turnAway(t *testing.T, g *gate, crowd, before int) []time.Duration {
	t.Helper()
	began := time.Now()
	var waits []time.Duration
	for range crowd {
		out, back := g.enter(t.Context(), somewhere, before)
		if out != nil {
			t.Fatal("one got in")
		}
		waits = append(waits, back)
	}
	if time.Since(began) != 0 {
		t.Errorf("their workers were held for %s", time.Since(began))
	}
	slices.Sort(waits)
	return waits
}

// Whoever is turned away by an endpoint that hangs is told at once, and later the more there are: together no more than
// some 50 a second come back, and none while there is no hope.
func TestGateSpreadsTheCrowd(t *testing.T) {
	t.Parallel()
	for _, crowd := range []int{20, 1000, 100_000} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate()
			hang(t, g, somewhere)
			waits := turnAway(t, g, crowd, 10)
			if waits[0] < 4*time.Second {
				t.Errorf("of %d one comes back after %s", crowd, waits[0])
			}
			line := time.Duration(crowd) * maxStep
			if last := waits[crowd-1]; last < line*9/10 || last > max(line*13/10, 2*maxPause) {
				t.Errorf("of %d the last comes back after %s", crowd, last)
			}
			if waits[0] == waits[1] && waits[1] == waits[2] {
				t.Error("they come back all at once")
			}
		})
	}
}

// However slow an endpoint seems, whoever is turned away for the first time comes back soon, and then each time later.
func TestGateTriesAgainSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		hang(t, g, somewhere)
		for before := range 3 {
			least, most := firstBack<<(2*before)*7/10, firstBack<<(2*before)*13/10
			if waits := turnAway(t, g, 20, before); waits[0] < least || waits[19] > most {
				t.Errorf("after %d times %s to %s; want %s to %s", before, waits[0], waits[19], least, most)
			}
		}
		const crowd = 10_000
		if waits := turnAway(t, g, crowd, 0); waits[crowd-1] < 5*time.Second || waits[crowd-1] > 10*time.Second {
			t.Errorf("of many the last comes back after %s", waits[crowd-1])
		}
	})
}

// At an endpoint that answers fast the next in line follows at once: first come, first served.
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
			leave[i](time.Millisecond)
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

// Standing in line ends when the endpoint turns out to hang after all, or the process stops.
func TestGateLineGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		began := time.Now()
		if out, back := g.enter(t.Context(), somewhere, 0); out != nil || back <= 0 {
			t.Error("it got in")
		}
		if waited := time.Since(began); waited != linePatience {
			t.Errorf("it waited for %s", waited)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if out, _ := g.enter(ctx, somewhere, 0); out != nil || time.Since(began) != linePatience {
			t.Error("it waits although the process stops")
		}
		for _, out := range leave {
			out(time.Millisecond)
		}
		if !g.endpoints[somewhere].idle() || g.flying() != 0 || len(g.merchants) != 0 {
			t.Error("who gave up still takes a place")
		}
	})
}

// Once it answers again, an endpoint soon gets as much as it takes.
func TestGateRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		leave := fill(t, g, somewhere)
		time.Sleep(15 * time.Second)
		for _, out := range leave {
			out(15 * time.Second)
		}
		for range 12 {
			out, _ := g.enter(t.Context(), somewhere, 0)
			out(time.Millisecond)
		}
		fill(t, g, somewhere)
		if e := g.endpoints[somewhere]; !e.quick(time.Now()) || e.turnAway(time.Now(), manyTimes) > linePatience {
			t.Errorf("it is still taken to answer in %s", e.answersIn)
		}
	})
}

func TestGateForgets(t *testing.T) {
	t.Parallel()
	g := newGate()
	busy := endpointKey{merchantID: -1}
	_, _ = g.enter(t.Context(), busy, 0)
	for i := range 2*manyEndpoints + 1 {
		out, _ := g.enter(t.Context(), endpointKey{merchantID: int64(i)}, 0)
		out(0)
	}
	if g.endpoints[busy] == nil || len(g.endpoints) > manyEndpoints {
		t.Errorf("it knows %d endpoints", len(g.endpoints))
	}
}
