package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// overloadTimes is how many times more creations are sent than the
	// gateway can make, over overloadClients connections.
	overloadTimes, overloadClients = 10, 1000
	// overloadSync is how much longer each COMMIT takes, in microseconds,
	// as on a slower disk.
	overloadSync = 3000
)

// overload sends ten times more creations than the gateway can make. It
// measures how many are made nevertheless, how fast the others are refused,
// and how many are made some time later. The gateway has one connection for
// creations and a slow disk, so that these limit it and not the CPU, which the
// bench needs, too.
func (b *bench) overload(ctx context.Context) {
	narrow := *b
	narrow.connections = 1
	c := narrow.apart(ctx, "overload")
	defer c.leave()
	c.slowCommits(ctx, overloadSync)
	defer func() { _ = caught(func() { c.slowCommits(context.WithoutCancel(ctx), 0) }) }()
	c.createsOf(ctx, manyMethod, "overload_before_per_s", "overload_before")
	c.overloaded(ctx, *c.report.median("overload_before_per_s"))
	pause(ctx, b.seconds*10/3) // ten seconds of a whole run, after which all is to be well again
	c.createsOf(ctx, manyMethod, "overload_after_per_s", "overload_after")
}

// slowCommits makes each COMMIT take so many microseconds longer.
func (b *bench) slowCommits(ctx context.Context, longer int) {
	for _, set := range []string{"set commit_siblings = 0", fmt.Sprint("set commit_delay = ", longer)} {
		b.exec(ctx, set, "alter system "+set)
	}
	b.exec(ctx, "reload the configuration", "select pg_reload_conf()")
}

// overloaded sends creations on schedule, overloadTimes times best a second,
// where best is what the gateway can make. It samples how many were made and
// sent, and how long the refusals took. Only errBusy is a refusal; any other
// error ends the part.
func (b *bench) overloaded(ctx context.Context, best float64) {
	over := b.creator(ctx, manyMethod, overloadClients)
	defer over.hangUp()
	over.prepare(int(overloadTimes * best * b.seconds.Seconds()))
	var made atomic.Int64
	var lock sync.Mutex
	refused := newLatencies()
	began := time.Now()
	must(openLoop(ctx, overloadClients, overloadTimes*best, b.seconds, func(_ context.Context, client int) (bool, error) {
		sent := time.Now()
		_, err := over.wires[client].send(over.take(client))
		if errors.Is(err, errBusy) {
			waited := time.Since(sent)
			lock.Lock()
			defer lock.Unlock()
			record(refused, waited)
			return false, nil
		}
		made.Add(1)
		return true, err
	}))
	took := time.Since(began).Seconds() // longer than planned where the generator cannot send as many
	b.report.sample("overload_creates_per_s", float64(made.Load())/took)
	b.report.sample("overload_offered_per_s", float64(made.Load()+refused.TotalCount())/took)
	b.report.sample("overload_refused_p99_ms", percentile(refused, 99))
}
