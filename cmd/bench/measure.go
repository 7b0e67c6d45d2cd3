package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gateway.example/internal/audit"
)

// part is something that is measured. Parts come in this order, for some use what those before have
// found or made.
type part struct {
	name    string
	measure func(*bench, context.Context) error
}

func parts() []part {
	return []part{
		{"trips", (*bench).roundTrips},
		{"creates", (*bench).creates},
		{"few", (*bench).createsFew},
		{"open", (*bench).latency},
		{"commit", (*bench).commits},
		{"credits", (*bench).credits},
		{"webhooks", (*bench).webhooks},
		{"settled", (*bench).settled},
		{"hot", (*bench).hotAccount},
		{"pages", (*bench).pages},
		{"desks", (*bench).openDesksCost},
		{"stored", (*bench).createsStored},
		{"snapshot", (*bench).besideSnapshot},
		{"growth", (*bench).besideOpen},
		{"expire", (*bench).expire},
		{"memory", (*bench).memory},
		{"others", (*bench).others},
		{"soak", (*bench).soak},
		{"audit", (*bench).audit},
	}
}

func partNames() []string {
	names := make([]string, 0, len(parts()))
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

func (b *bench) wanted(name string) bool {
	return (len(b.only) == 0 || slices.Contains(b.only, name)) && !slices.Contains(b.skip, name)
}

func (b *bench) measure(ctx context.Context) error {
	for _, p := range parts() {
		if !b.wanted(p.name) {
			continue
		}
		b.say("%s", p.name)
		if err := p.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	b.report.finish()
	return nil
}

// warmUp is how long a load runs before it is measured.
func (b *bench) warmUp() time.Duration { return b.seconds / 2 }

// during measures a run with a checkpoint in its middle: what the run does, per operation, and what
// it used.
func (b *bench) during(ctx context.Context, do act) (rate float64, each usage, err error) {
	before, err := b.use(ctx)
	if err != nil {
		return 0, usage{}, err
	}
	checkpointed := b.checkpointIn(ctx, b.seconds/2)
	done, took, err := closedLoop(ctx, b.clients, b.seconds, do)
	if cause := <-checkpointed; err == nil {
		err = cause
	}
	if err != nil {
		return 0, usage{}, err
	}
	after, err := b.use(ctx)
	if err != nil {
		return 0, usage{}, err
	}
	if done == 0 {
		return 0, usage{}, fmt.Errorf("nothing was done in %s", took)
	}
	return float64(done) / took.Seconds(), after.since(before).per(done), nil
}

// per shares what was used among so many.
func (u usage) per(n int64) usage {
	return usage{
		gateway: u.gateway / time.Duration(n), postgres: u.postgres / time.Duration(n),
		generator: u.generator / time.Duration(n), wal: u.wal / float64(n),
	}
}

// checkpointIn makes a checkpoint after a while.
func (b *bench) checkpointIn(ctx context.Context, after time.Duration) <-chan error {
	made := make(chan error, 1)
	go func() {
		select {
		case <-ctx.Done():
			made <- ctx.Err()
		case <-time.After(after):
			_, err := b.pool.Exec(ctx, "checkpoint")
			made <- err
		}
	}()
	return made
}

// audit proves the ledgers after all that was done to them. What the bench wrote itself, the replay
// and the stored payments, must hold like the gateway's own.
func (b *bench) audit(ctx context.Context) error {
	count := 0.0
	for _, at := range []*bench{b, b.crowd} {
		if at == nil {
			continue
		}
		found, err := audit.Everything(ctx, at.pool)
		if err != nil {
			return err
		}
		for _, violation := range found[:min(len(found), 5)] {
			b.say("%s: %s", violation.Rule, violation.Detail)
		}
		count += float64(len(found))
	}
	b.report.AuditViolations = &count
	return nil
}
