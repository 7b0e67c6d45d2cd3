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
	overloadTimes, overloadClients = 10, 512
	// overloadRest is the pause after which all is to be well again.
	overloadRest = 10 * time.Second
)

// overload has ten times the creations come that can be made. It measures how many are made all the same, how soon the others
// are refused, and how many are made a while later. The generator needs the same machine, so goodput is what is left of it.
func (b *bench) overload(ctx context.Context) error {
	best := b.report.median("creates_per_s")
	if best == nil {
		return fmt.Errorf("the saturation rate is not known: measure creates, too")
	}
	if err := b.createsAround(ctx, "overload_before_per_s"); err != nil {
		return err
	}
	over, hangUp, err := b.creator(ctx, manyMethod, overloadClients)
	if err != nil {
		return err
	}
	defer hangUp()
	var made atomic.Int64
	refused := make([]*hdrhistogram.Histogram, overloadClients)
	for client := range refused {
		refused[client] = hdrhistogram.New(1, longest, 3)
	}
	start := time.Now()
	_, err = openLoop(ctx, overloadClients, overloadTimes**best, b.seconds, func(ctx context.Context, client int) (bool, error) {
		began := time.Now()
		_, err := over.act(ctx, client)
		if errors.Is(err, errBusy) {
			_ = refused[client].RecordValue(max(1, time.Since(began).Microseconds()))
			return false, nil
		}
		if err == nil {
			made.Add(1)
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	took := time.Since(start) // longer than planned: who comes too late for a turn comes all the same
	for _, more := range refused[1:] {
		refused[0].Merge(more)
	}
	b.report.sample("overload_creates_per_s", float64(made.Load())/took.Seconds())
	b.report.sample("overload_refused_p99_ms", percentile(refused[0], 99))
	time.Sleep(overloadRest)
	return b.createsAround(ctx, "overload_after_per_s")
}

// createsAround measures creations as they are before or after an overload, in the same minute.
func (b *bench) createsAround(ctx context.Context, name string) error {
	creator, hangUp, err := b.creator(ctx, manyMethod, b.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	count, took, err := closedLoop(ctx, b.clients, b.seconds, creator.act)
	b.report.sample(name, float64(count)/took.Seconds())
	return err
}
