package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// arrivals records when each thing arrived for the first time since restart.
type arrivals struct {
	mu   sync.Mutex
	at   map[string]time.Time
	more chan struct{}
}

func newArrivals() *arrivals {
	return &arrivals{at: map[string]time.Time{}, more: make(chan struct{}, 1)}
}

// came records an arrival. It never waits for await, which counts again after
// each signal.
func (a *arrivals) came(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, again := a.at[name]; again {
		return
	}
	a.at[name] = time.Now()
	select {
	case a.more <- struct{}{}:
	default:
	}
}

func (a *arrivals) restart() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = map[string]time.Time{}
}

// seen holds the time of each arrival so far.
type seen map[string]time.Time

// span returns the times of the first and of the last arrival.
func (s seen) span() (first, last time.Time) {
	for _, at := range s {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return first, last
}

// rate is the number of arrivals a second, from the first to the last.
func (s seen) rate() float64 {
	first, last := s.span()
	return float64(len(s)-1) / last.Sub(first).Seconds()
}

// patience is how long await waits for the next arrival.
const patience = 30 * time.Second

// await waits for so many arrivals since restart. If they do not come, it ends
// the part.
func (a *arrivals) await(ctx context.Context, count int, what string) seen {
	for {
		a.mu.Lock()
		arrived := len(a.at)
		if arrived >= count {
			defer a.mu.Unlock()
			return maps.Clone(a.at)
		}
		a.mu.Unlock()
		select {
		case <-a.more:
		case <-ctx.Done():
			check(ctx.Err(), what)
		case <-time.After(patience):
			check(fmt.Errorf("%d of %d have arrived, and no more come", arrived, count), what)
		}
	}
}

// endpoints is how many endpoints the merchant has. One endpoint takes ten
// deliveries at a time, so a single one would measure that limit.
const endpoints = 4

// receivers are the merchants' endpoints. They read a webhook, record its
// order and answer at once.
type receivers struct {
	*arrivals
	servers []*httptest.Server
	urls    []string
}

func openReceivers() *receivers {
	r := &receivers{arrivals: newArrivals()}
	for range endpoints {
		server := httptest.NewServer(http.HandlerFunc(r.take))
		r.servers, r.urls = append(r.servers, server), append(r.urls, server.URL+"/hook")
	}
	return r
}

func (r *receivers) close() {
	for _, server := range r.servers {
		server.CloseClientConnections()
		server.Close()
	}
}

func (r *receivers) take(_ http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	_, after, _ := bytes.Cut(body, []byte(`"orderId":"`))
	if order, _, told := bytes.Cut(after, []byte(`"`)); told {
		r.came(string(order))
	}
}
