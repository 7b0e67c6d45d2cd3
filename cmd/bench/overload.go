package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// overloadTimes is how many times the creations come that the gateway can make, on overloadClients connections.
	overloadTimes, overloadClients = 10, 1000
	// overloadRest is the pause after which all is to be well again.
	overloadRest = 10 * time.Second
	// overloadSync is how much longer each COMMIT takes, in microseconds, as with a slower disk.
	overloadSync = 3000
)

// overload has ten times the creations come that can be made. It measures how many are made all the same, how soon the others
// are refused, and how many are made a while later. The gateway has one connection for creations, and the disk is slow: that
// bounds it, and not the machine, which the generator needs as well.
func (b *bench) overload(ctx context.Context) error {
	narrow := *b
	narrow.connections = 1
	c, err := narrow.apart(ctx, "overload")
	if err != nil {
		return err
	}
	defer c.leave()
	if err := c.slowCommits(ctx, overloadSync); err != nil {
		return err
	}
	defer func() { _ = c.slowCommits(context.WithoutCancel(ctx), 0) }()
	if err := c.createsAround(ctx, "overload_before"); err != nil {
		return err
	}
	if err := c.overloaded(ctx, *c.report.median("overload_before_per_s")); err != nil {
		return err
	}
	time.Sleep(overloadRest)
	return c.createsAround(ctx, "overload_after")
}

// slowCommits has each COMMIT take so many microseconds longer.
func (b *bench) slowCommits(ctx context.Context, longer int) error {
	for _, set := range []string{"set commit_siblings = 0", fmt.Sprint("set commit_delay = ", longer)} {
		if _, err := b.pool.Exec(ctx, "alter system "+set); err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
	}
	_, err := b.pool.Exec(ctx, "select pg_reload_conf()")
	return err
}

func (b *bench) overloaded(ctx context.Context, best float64) error {
	over, hangUp, err := b.creator(ctx, manyMethod, overloadClients)
	if err != nil {
		return err
	}
	defer hangUp()
	var made atomic.Int64
	refused := make([]*hdrhistogram.Histogram, overloadClients)
	for client := range refused {
		refused[client] = hdrhistogram.New(1, longest, 2)
	}
	began := time.Now()
	_, err = openLoop(ctx, overloadClients, overloadTimes*best, b.seconds, func(ctx context.Context, client int) (bool, error) {
		sent := time.Now()
		done, err := over.act(ctx, client)
		if errors.Is(err, errBusy) {
			return false, refused[client].RecordValue(max(1, time.Since(sent).Microseconds()))
		}
		made.Add(1)
		return done, err
	})
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds() // longer than planned where the generator cannot send as many
	for _, more := range refused[1:] {
		refused[0].Merge(more)
	}
	b.report.sample("overload_creates_per_s", float64(made.Load())/took)
	b.report.sample("overload_offered_per_s", float64(made.Load()+refused[0].TotalCount())/took)
	b.report.sample("overload_refused_p99_ms", percentile(refused[0], 99))
	return nil
}

// createsAround measures creations as they are before or after an overload, with what each takes.
func (b *bench) createsAround(ctx context.Context, use string) error {
	over, hangUp, err := b.creator(ctx, manyMethod, b.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	return b.inTurn(ctx, b.creating(over, use+"_per_s", use))
}
