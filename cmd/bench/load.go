package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// act is one operation of a client. done is false for one that was refused in
// good order and does not count.
type act func(ctx context.Context, client int) (done bool, err error)

// closedLoop has every client act without a pause for the given time, and
// returns how many acts were done and how long it took until the last had
// ended.
func closedLoop(ctx context.Context, clients int, length time.Duration, do act) (int64, time.Duration, error) {
	var over atomic.Bool
	timer := time.AfterFunc(length, func() { over.Store(true) })
	defer timer.Stop()
	return together(ctx, clients, func(ctx context.Context, client int, done *int64) error {
		for !over.Load() && ctx.Err() == nil {
			ok, err := do(ctx, client)
			if err != nil {
				return err
			}
			if ok {
				*done++
			}
		}
		return ctx.Err()
	})
}

// loop is that of the place's clients, without an error.
func (b *bench) loop(ctx context.Context, length time.Duration, do act) (int64, time.Duration) {
	done, took, err := closedLoop(ctx, b.clients, length, do)
	check(err)
	return done, took
}

// workOff has the clients act count times together.
func workOff(ctx context.Context, clients, count int, do func(ctx context.Context, client, i int) error) (time.Duration, error) {
	var next atomic.Int64
	_, took, err := together(ctx, clients, func(ctx context.Context, client int, _ *int64) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= count || ctx.Err() != nil {
				return ctx.Err()
			}
			if err := do(ctx, client, i); err != nil {
				return err
			}
		}
	})
	return took, err
}

// openLoop sends on schedule, whatever the answers take, as callers who know
// nothing of each other do. A latency is counted from when the call was due, so
// that waiting for a free client counts.
func openLoop(ctx context.Context, clients int, perSecond float64, length time.Duration, do act) (*hdrhistogram.Histogram, error) {
	due := func(i int64) time.Duration { return time.Duration(float64(i) / perSecond * float64(time.Second)) }
	taken := make([]*hdrhistogram.Histogram, clients)
	for client := range taken {
		taken[client] = newLatencies()
	}
	var next atomic.Int64
	began := time.Now()
	_, _, err := together(ctx, clients, func(ctx context.Context, client int, _ *int64) error {
		for {
			at := due(next.Add(1) - 1)
			if at > length || ctx.Err() != nil {
				return ctx.Err()
			}
			time.Sleep(at - time.Since(began))
			if _, err := do(ctx, client); err != nil {
				return err
			}
			record(taken[client], time.Since(began)-at)
		}
	})
	for _, more := range taken[1:] {
		taken[0].Merge(more)
	}
	return taken[0], err
}

// together runs every client's work and waits for all. The first error ends it
// for everybody.
func together(
	ctx context.Context, clients int, work func(ctx context.Context, client int, done *int64) error,
) (int64, time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	counts, failures := make([]int64, clients), make([]error, clients)
	began := time.Now()
	var running sync.WaitGroup
	for client := range clients {
		running.Go(func() {
			if failures[client] = work(ctx, client, &counts[client]); failures[client] != nil {
				cancel()
			}
		})
	}
	running.Wait()
	took := time.Since(began)
	var total int64
	for _, count := range counts {
		total += count
	}
	return total, took, firstCause(failures)
}

// firstCause prefers a cause to the cancellations it set off.
func firstCause(failures []error) error {
	var cancelled error
	for _, err := range failures {
		switch {
		case errors.Is(err, context.Canceled):
			cancelled = err
		case err != nil:
			return err
		}
	}
	return cancelled
}

// meanwhile does something until what it answers is called, which ends it and
// waits for that.
func meanwhile(ctx context.Context, do func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var doing sync.WaitGroup
	doing.Go(func() { do(ctx) })
	return func() {
		cancel()
		doing.Wait()
	}
}

// pause waits for length, or until ctx ends.
func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}

// longest is the longest latency that is told from others, in microseconds.
const longest = 60_000_000

func newLatencies() *hdrhistogram.Histogram { return hdrhistogram.New(1, longest, 3) }

func record(taken *hdrhistogram.Histogram, latency time.Duration) {
	_ = taken.RecordValue(min(max(1, latency.Microseconds()), longest)) // within bounds, and so no error
}

// percentile is that of latencies, in milliseconds.
func percentile(taken *hdrhistogram.Histogram, p float64) float64 {
	return float64(taken.ValueAtQuantile(p)) / 1000
}
