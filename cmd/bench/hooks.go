package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// endpoints are the merchant's: each takes ten deliveries at a time, so that one alone would
// measure that bound.
const endpoints = 4

// receivers take the merchants' webhooks: they read, count and answer at once. One that comes again
// does not count.
type receivers struct {
	listeners []net.Listener
	server    *http.Server

	mu          sync.Mutex
	seen        map[string]struct{}
	first, last time.Time
	arrived     chan struct{}
	// told is handed each webhook's body; nil is nobody.
	told func(body []byte)
}

func openReceivers(ctx context.Context) (*receivers, error) {
	r := &receivers{seen: map[string]struct{}{}, arrived: make(chan struct{}, 1)}
	r.server = &http.Server{Handler: http.HandlerFunc(r.take), ReadHeaderTimeout: stopTimeout}
	for range endpoints {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			r.close()
			return nil, fmt.Errorf("open a webhook receiver: %w", err)
		}
		r.listeners = append(r.listeners, listener)
		go func() { _ = r.server.Serve(listener) }()
	}
	return r, nil
}

func (r *receivers) close() { _ = r.server.Close() }

func (r *receivers) urls() []string {
	urls := make([]string, 0, len(r.listeners))
	for _, listener := range r.listeners {
		urls = append(urls, "http://"+listener.Addr().String()+"/hook")
	}
	return urls
}

func (r *receivers) take(_ http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	event := request.Header.Get("webhook-id")
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, again := r.seen[event]; again {
		return
	}
	r.last = time.Now()
	if len(r.seen) == 0 {
		r.first = r.last
	}
	r.seen[event] = struct{}{}
	if r.told != nil {
		r.told(body)
	}
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// tell has each webhook's body handed on from now.
func (r *receivers) tell(told func(body []byte)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = told
}

// restart begins to count anew.
func (r *receivers) restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = map[string]struct{}{}
}

// patience is how long nothing may arrive before what is missing is given up.
const patience = 30 * time.Second

// await waits until so many have arrived since restart, and answers when the first came and when
// the last.
func (r *receivers) await(ctx context.Context, count int) (first, last time.Time, err error) {
	for {
		r.mu.Lock()
		arrived, first, last := len(r.seen), r.first, r.last
		r.mu.Unlock()
		if arrived >= count {
			return first, last, nil
		}
		select {
		case <-r.arrived:
		case <-ctx.Done():
			return first, last, ctx.Err()
		case <-time.After(patience):
			return first, last, fmt.Errorf("%d of %d webhooks have arrived, and no more come", arrived, count)
		}
	}
}
