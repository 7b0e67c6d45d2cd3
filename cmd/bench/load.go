package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// act is one operation of a client. done is false if it was properly refused;
// such an operation does not count.
type act func(ctx context.Context, client int) (done bool, err error)

// closedLoop lets every client act without a pause for some time. It returns
// how many acts were done and how long they took until the last one.
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

// loop is closedLoop with the place's clients; an error ends the part.
func (b *bench) loop(ctx context.Context, length time.Duration, do act) (int64, time.Duration) {
	done, took, err := closedLoop(ctx, b.clients, length, do)
	check(err)
	return done, took
}

// workOff lets the clients share count acts.
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

// openLoop sends on schedule, however long the answers take, like callers who
// are independent of each other. A latency begins when the call was due, so
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

// together runs the work of all clients in parallel and waits for them. The
// first error ends all.
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

// firstCause returns the error that caused the cancellation of the others, if
// there is one.
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

// meanwhile runs do in the background. The returned function cancels it and
// waits for its end.
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

// longest is the highest latency that is recorded as it is, in microseconds.
const longest = 60_000_000

func newLatencies() *hdrhistogram.Histogram { return hdrhistogram.New(1, longest, 3) }

func record(taken *hdrhistogram.Histogram, latency time.Duration) {
	_ = taken.RecordValue(min(max(1, latency.Microseconds()), longest)) // within bounds, and so no error
}

// percentile returns a percentile of latencies in milliseconds.
func percentile(taken *hdrhistogram.Histogram, p float64) float64 {
	return float64(taken.ValueAtQuantile(p)) / 1000
}
