package webhook

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const (
	// perEndpoint and perMerchant bound the deliveries one process has on their way at once: what hangs holds that many
	// of the queue's workers and no more. The second is for a merchant of many hosts.
	perEndpoint = 10
	perMerchant = 50

	// lineMost deliveries of an endpoint, and linesMost of all together, may keep their workers waiting for a place: for
	// lineLongest, and no longer than linePatience after a place last came free.
	lineMost     = 200
	linesMost    = 500
	linePatience = 100 * time.Millisecond
	lineLongest  = time.Second

	// What is turned away stays away for firstBack, for twice as long each time it comes to be turned away again, and
	// for maxBack at most: a slow endpoint that recovers has its whole backlog back within that.
	firstBack = 250 * time.Millisecond
	maxBack   = time.Minute
)

// endpointKey is whom the deliveries of an endpoint go to. Merchants who share a host do not share its places.
type endpointKey struct {
	merchantID int64
	host       string
}

// gate bounds how many deliveries are on their way at once to one merchant's host. What it turns away gives its worker
// back at once and is told when to come again; only while places come free one after the other may it stand in line for
// a moment. The gate is one process's: each replica lets as many through.
type gate struct {
	mu        sync.Mutex
	endpoints map[endpointKey]*endpoint
	merchants map[int64]int
	inFlight  int
	// inLine is how many stand in all lines together.
	inLine int
}

func newGate() *gate {
	return &gate{endpoints: map[endpointKey]*endpoint{}, merchants: map[int64]int{}}
}

// endpoint is a merchant's host with deliveries on their way.
type endpoint struct {
	inFlight int
	// moved is when a place was last taken or given back.
	moved time.Time
	// line are those who wait for a place; whose turn has come is told so, and has it.
	line []chan struct{}
}

// enter finds the delivery a place, which leave gives back. Without one leave is nil, and back is how long to stay away.
// Before is how often the delivery has been turned away already.
func (g *gate) enter(ctx context.Context, key endpointKey, before int) (leave func(), back time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.endpoints[key]
	switch {
	case (e == nil || e.inFlight < perEndpoint) && g.merchants[key.merchantID] < perMerchant:
		g.take(key)
	case e == nil || g.inLine >= linesMost || len(e.line) >= lineMost || !e.moving() || !g.wait(ctx, e):
		return nil, backAfter(before)
	}
	return func() { g.leave(key) }, 0
}

func (g *gate) take(key endpointKey) {
	e := g.endpoints[key]
	if e == nil {
		e = &endpoint{}
		g.endpoints[key] = e
	}
	e.inFlight++
	e.moved = time.Now()
	g.merchants[key.merchantID]++
	g.inFlight++
}

// moving tells that a place is likely to come free soon.
func (e *endpoint) moving() bool {
	return e.inFlight == perEndpoint && time.Since(e.moved) < linePatience
}

// wait stands in line, without the lock, and tells whether the turn came. It looks up now and then whether the line moves.
func (g *gate) wait(ctx context.Context, e *endpoint) bool {
	turn := make(chan struct{})
	e.line = append(e.line, turn)
	g.inLine++
	longest := time.Now().Add(lineLongest)
	look := time.NewTicker(linePatience)
	defer look.Stop()
	for waiting := true; waiting; {
		g.mu.Unlock()
		select {
		case <-turn:
		case <-look.C:
		case <-ctx.Done():
		}
		g.mu.Lock()
		waiting = slices.Contains(e.line, turn) && e.moving() && ctx.Err() == nil && time.Now().Before(longest)
	}
	i := slices.Index(e.line, turn)
	if i >= 0 {
		e.line = slices.Delete(e.line, i, i+1)
		g.inLine--
	}
	return i < 0
}

// leave gives a place back, or rather to the next in line.
func (g *gate) leave(key endpointKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.endpoints[key]
	e.moved = time.Now()
	if len(e.line) > 0 {
		close(e.line[0])
		e.line = slices.Delete(e.line, 0, 1)
		g.inLine--
		return
	}
	if e.inFlight--; e.inFlight == 0 {
		delete(g.endpoints, key)
	}
	if g.merchants[key.merchantID]--; g.merchants[key.merchantID] == 0 {
		delete(g.merchants, key.merchantID)
	}
	g.inFlight--
}

// flying is how many deliveries are on their way.
func (g *gate) flying() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return float64(g.inFlight)
}

// backAfter doubles with every time, and spreads by half to either side, so that a crowd does not come back as one.
func backAfter(before int) time.Duration {
	back := min(firstBack<<min(before, 20), maxBack)
	return time.Duration(float64(back) * (0.5 + rand.Float64()))
}
