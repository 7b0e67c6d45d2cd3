package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// overloadClients send without a pause, some of them again as soon as they are refused.
	overloadClients = 4000
	// overloadRest is the pause after which all is to be well again.
	overloadRest = 10 * time.Second
)

// overload has far more creations come than can be made. It measures how many are made all the same, how soon the others are
// refused, and how many are made a while later. The generator needs the same machine, so goodput is what is left of it.
func (b *bench) overload(ctx context.Context) error {
	best := b.report.median("creates_per_s")
	if best == nil {
		return fmt.Errorf("the saturation rate is not known: measure creates, too")
	}
	if err := b.createsAround(ctx, "overload_before"); err != nil {
		return err
	}
	if err := b.overloaded(ctx, *best); err != nil {
		return err
	}
	time.Sleep(overloadRest)
	return b.createsAround(ctx, "overload_after")
}

func (b *bench) overloaded(ctx context.Context, best float64) error {
	over, hangUp, err := b.creator(ctx, manyMethod, overloadClients)
	if err != nil {
		return err
	}
	defer hangUp()
	refused := make([]*hdrhistogram.Histogram, overloadClients)
	for client := range refused {
		refused[client] = hdrhistogram.New(1, longest, 2)
	}
	made, took, err := closedLoop(ctx, overloadClients, b.seconds, func(ctx context.Context, client int) (bool, error) {
		began := time.Now()
		done, err := over.act(ctx, client)
		if errors.Is(err, errBusy) {
			return false, refused[client].RecordValue(max(1, time.Since(began).Microseconds()))
		}
		return done, err
	})
	if err != nil {
		return err
	}
	for _, more := range refused[1:] {
		refused[0].Merge(more)
	}
	b.report.sample("overload_creates_per_s", float64(made)/took.Seconds())
	b.report.sample("overload_offered_ratio", float64(made+refused[0].TotalCount())/took.Seconds()/best)
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
