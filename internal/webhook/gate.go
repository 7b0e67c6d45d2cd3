package webhook

import (
	"context"
	"maps"
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

	// linePatience is how long a delivery may keep its worker waiting for a way in, and lineMost how many may.
	linePatience = 100 * time.Millisecond
	lineMost     = 100
	// answerGuess is how long an endpoint not heard of yet is taken to answer in. Too short costs one more round of
	// turning away, too long leaves an endpoint idle that could be fed.
	answerGuess = 2 * time.Millisecond
	// minStep and maxStep lie between one delivery that comes back to an endpoint and the next: the first is about what
	// a process can deliver at all, the second keeps a long backlog from being left lying when a slow one recovers.
	// maxPause and maxBack bound the wait of one, and so does firstBack, which is four times as long each time the same
	// one is turned away.
	minStep   = 700 * time.Microsecond
	maxStep   = 20 * time.Millisecond
	maxPause  = 10 * time.Second
	maxBack   = time.Hour
	firstBack = 250 * time.Millisecond
	manyTimes = 20

	// manyEndpoints is when those with nothing on its way are forgotten.
	manyEndpoints = 10_000
)

// endpointKey is whom the deliveries of an endpoint go to. Merchants who share a host do not share its places.
type endpointKey struct {
	merchantID int64
	host       string
}

// gate bounds how many deliveries are on their way at once to one merchant's host. What it turns away gives its worker
// back at once and is told when to come again; only at an endpoint that answers so fast that a place is all but free
// may it stand in line for a moment. The gate is one process's: each replica lets as many through.
type gate struct {
	mu        sync.Mutex
	endpoints map[endpointKey]*endpoint
	merchants map[int64]int
	inFlight  int
}

func newGate() *gate {
	return &gate{endpoints: map[endpointKey]*endpoint{}, merchants: map[int64]int{}}
}

// endpoint is what a process knows of a merchant's host.
type endpoint struct {
	// began holds when the delivery in each place went out; zero is a free place.
	began [perEndpoint]time.Time
	// line are those who wait for a place.
	line []*waiter
	// answersIn is how long it takes to answer, lately.
	answersIn time.Duration
	// crowd is how many of those turned away have yet to come back, by the rate they were told to come at.
	crowd   float64
	crowdAt time.Time
}

// enter finds the delivery a place: leave gives it back, and says how long the endpoint took to answer. Without a place,
// leave is nil and back is how long to stay away. Before is how often the delivery has been turned away already.
func (g *gate) enter(ctx context.Context, key endpointKey, before int) (leave func(took time.Duration), back time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	e := g.endpoint(key, now)
	place := slices.IndexFunc(e.began[:], time.Time.IsZero)
	switch {
	case place >= 0 && g.merchants[key.merchantID] < perMerchant:
		e.began[place] = now
		g.inFlight++
		g.merchants[key.merchantID]++
		return g.leaver(key, e, place), 0
	case place >= 0 || !e.quick(now):
		return nil, e.turnAway(now, before)
	}
	w := &waiter{turn: make(chan struct{})}
	e.line = append(e.line, w)
	g.mu.Unlock()
	w.wait(ctx)
	g.mu.Lock()
	if i := slices.Index(e.line, w); i >= 0 {
		e.line = slices.Delete(e.line, i, i+1)
		return nil, e.turnAway(time.Now(), before)
	}
	return g.leaver(key, e, w.place), 0
}

// waiter stands in line; whose turn has come is no longer in it, and has a place.
type waiter struct {
	turn  chan struct{}
	place int
}

// wait returns when the turn has come, or when waiting for it any longer would not do.
func (w *waiter) wait(ctx context.Context) {
	patience := time.NewTimer(linePatience)
	defer patience.Stop()
	select {
	case <-w.turn:
	case <-patience.C:
	case <-ctx.Done():
	}
}

func (g *gate) endpoint(key endpointKey, now time.Time) *endpoint {
	if e := g.endpoints[key]; e != nil {
		return e
	}
	if len(g.endpoints) >= manyEndpoints {
		maps.DeleteFunc(g.endpoints, func(_ endpointKey, e *endpoint) bool { return e.idle() })
	}
	e := &endpoint{answersIn: answerGuess, crowdAt: now}
	g.endpoints[key] = e
	return e
}

// leaver gives a place back, or rather to the next in line.
func (g *gate) leaver(key endpointKey, e *endpoint, place int) func(time.Duration) {
	return func(took time.Duration) {
		g.mu.Lock()
		defer g.mu.Unlock()
		e.heed(took)
		if len(e.line) > 0 {
			e.began[place] = time.Now()
			e.line[0].place = place
			close(e.line[0].turn)
			e.line = slices.Delete(e.line, 0, 1)
			return
		}
		e.began[place] = time.Time{}
		g.inFlight--
		if g.merchants[key.merchantID]--; g.merchants[key.merchantID] == 0 {
			delete(g.merchants, key.merchantID)
		}
	}
}

// flying is how many deliveries are on their way.
func (g *gate) flying() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return float64(g.inFlight)
}

// idle tells that nothing is on its way; then nobody is in line either.
func (e *endpoint) idle() bool { return e.began == [perEndpoint]time.Time{} }

// heed learns from an answer; zero is none. Fast ones weigh more: one proves what the endpoint can do, while a slow one
// may have been our own doing.
func (e *endpoint) heed(took time.Duration) {
	switch {
	case took == 0:
	case took < e.answersIn:
		e.answersIn += (took - e.answersIn) / 2
	default:
		e.answersIn += (took - e.answersIn) / 8
	}
}

// stall is how long the delivery that went out first has been on its way.
func (e *endpoint) stall(now time.Time) time.Duration {
	var longest time.Duration
	for _, began := range e.began {
		if !began.IsZero() {
			longest = max(longest, now.Sub(began))
		}
	}
	return longest
}

// quick tells that a place for one more in line is to be had within its patience.
func (e *endpoint) quick(now time.Time) bool {
	answers := max(e.answersIn, e.stall(now))
	return len(e.line) < lineMost && answers*time.Duration(len(e.line)+1) <= perEndpoint*linePatience
}

// turnAway says how long to stay away: they come back one after the other, about as fast as the endpoint answers, so the
// longer, the more have been turned away already. Who has been turned away only a few times comes back soon in any case:
// what is known of the endpoint's speed may have been a hiccup, ours or its own.
func (e *endpoint) turnAway(now time.Time, before int) time.Duration {
	step := min(max(e.answersIn/perEndpoint, minStep), maxStep)
	e.crowd = max(e.crowd-float64(now.Sub(e.crowdAt))/float64(step), 0) + 1
	e.crowdAt = now
	back := time.Duration(min(e.crowd*float64(step), float64(maxBack))) + 2*e.stall(now)
	back = max(back, min(e.answersIn/2, maxPause))
	back = min(back, max(firstBack, time.Duration(e.crowd)*minStep)<<min(2*before, manyTimes))
	return time.Duration(float64(back) * jitter())
}

// jitter spreads by a fifth to either side.
func jitter() float64 { return 0.8 + 0.4*rand.Float64() }
