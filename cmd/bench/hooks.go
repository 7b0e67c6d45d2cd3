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

// endpoints are the merchant's: each takes ten deliveries at a time, so that one alone would measure that bound.
const endpoints = 4

// receivers take the merchant's webhooks: they read, count and answer at once.
type receivers struct {
	listeners []net.Listener
	server    *http.Server

	mu          sync.Mutex
	count       int
	first, last time.Time
	arrived     chan struct{}
}

func openReceivers(ctx context.Context) (*receivers, error) {
	r := &receivers{arrived: make(chan struct{}, 1)}
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
	_, _ = io.Copy(io.Discard, request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = time.Now()
	if r.count == 0 {
		r.first = r.last
	}
	r.count++
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// restart begins to count anew.
func (r *receivers) restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count = 0
}

// patience is how long nothing may arrive before what is missing is given up.
const patience = 30 * time.Second

// await waits until so many have arrived since restart, and answers how long it took from the first to the last.
func (r *receivers) await(ctx context.Context, count int) (time.Duration, error) {
	for {
		r.mu.Lock()
		arrived, took := r.count, r.last.Sub(r.first)
		r.mu.Unlock()
		if arrived >= count {
			return took, nil
		}
		select {
		case <-r.arrived:
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(patience):
			return 0, fmt.Errorf("%d of %d webhooks have arrived, and no more come", arrived, count)
		}
	}
}
