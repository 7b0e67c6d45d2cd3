package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// The names under which creations on the crowd's place are kept: with none open, beside a snapshot
// kept open, at the start and in the end, and with many open.
const (
	noneOpenUse, noneOpenRate           = "create_none_open", "creates_none_open_per_s"
	snapshotStartUse, snapshotStartRate = "create_snapshot_start", "creates_snapshot_start_per_s"
	snapshotEndUse, snapshotEndRate     = "create_snapshot_end", "creates_snapshot_end_per_s"
	openUse, openRate                   = "create_many_open", "creates_many_open_per_s"
)

// openCrowd opens a place that fills with open payments, once.
func (b *bench) openCrowd(ctx context.Context) (*bench, error) {
	if b.crowd != nil {
		return b.crowd, nil
	}
	var err error
	b.crowd, err = b.apart(ctx, "crowd")
	return b.crowd, err
}

// warmCrowd opens it and, once, measures creations while hardly any is open.
func (b *bench) warmCrowd(ctx context.Context) (*bench, error) {
	c, err := b.openCrowd(ctx)
	if err != nil || b.report.median(noneOpenRate) != nil {
		return c, err
	}
	return c, c.createsOf(ctx, manyMethod, noneOpenRate, noneOpenUse)
}

// snapshotRuns is how many measured runs' time the load goes on beside an open snapshot.
const snapshotRuns = 12

// besideSnapshot measures creations at the start and at the end of a load, while another
// transaction keeps the snapshot that it took before: until it ends, no vacuum can remove what the
// load leaves behind in tables and indexes.
func (b *bench) besideSnapshot(ctx context.Context) error {
	c, err := b.warmCrowd(ctx)
	if err != nil {
		return err
	}
	if err := c.vacuum(ctx); err != nil {
		return err
	}
	over, hangUp, err := c.creator(ctx, manyMethod, c.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	end, err := c.holdSnapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	creates := c.creating(over, snapshotStartRate, snapshotStartUse)
	creates.window = "creates beside a snapshot"
	if err := c.measured(ctx, creates); err != nil {
		return err
	}
	if _, _, err := closedLoop(ctx, c.clients, (snapshotRuns-1)*c.seconds, over.act); err != nil {
		return err
	}
	creates.rate, creates.use = snapshotEndRate, snapshotEndUse
	return c.measured(ctx, creates)
}

// holdSnapshot opens a transaction and has it take its snapshot.
func (b *bench) holdSnapshot(ctx context.Context) (end func(), err error) {
	conn, err := b.connectOne(ctx)
	if err != nil {
		return nil, err
	}
	end = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err == nil {
		_, err = tx.Exec(ctx, "select 1")
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("take a snapshot: %w", err)
	}
	return end, nil
}

// besideOpen measures creations while many payments are open. As many more are open than in the
// measurement of none, for what the runs themselves make is open in both.
func (b *bench) besideOpen(ctx context.Context) error {
	c, err := b.warmCrowd(ctx)
	if err != nil {
		return err
	}
	if err := c.fill(ctx, b.openPayments); err != nil {
		return err
	}
	return c.createsOf(ctx, manyMethod, openRate, openUse)
}

// fill creates payments until so many are open, and tidies up after that, so that what it leaves
// behind is they alone.
func (b *bench) fill(ctx context.Context, count int) error {
	var open int
	if err := b.pool.QueryRow(ctx, "select count(*) from payment where status = 'pending'").Scan(&open); err != nil {
		return fmt.Errorf("count open payments: %w", err)
	}
	b.say("  %d payments are open, %d more to come", open, max(count-open, 0))
	over, hangUp, err := b.creator(ctx, manyMethod, b.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	_, err = workOff(ctx, b.clients, count-open, func(ctx context.Context, client, _ int) error {
		_, err := over.act(ctx, client)
		return err
	})
	if err != nil {
		return err
	}
	return b.vacuum(ctx)
}

// expire measures the sweep of one gateway that finds payments overdue. The time moves on while it
// is down, for a sandbox's call that moves it would take part in the work. What counts is what
// arrives at the receivers, from the first to the last of as many webhooks as were to be overdue at
// least.
func (b *bench) expire(ctx context.Context) error {
	c, err := b.openCrowd(ctx)
	if err != nil {
		return err
	}
	if err := c.fill(ctx, c.overdue); err != nil {
		return err
	}
	if err := c.commitsNow(ctx, "expired_commit_per_s"); err != nil {
		return err
	}
	c.hooks.restart()
	if err := c.restart(ctx, func() error { return c.advance(ctx) }); err != nil {
		return err
	}
	first, last, err := c.hooks.await(ctx, c.overdue)
	if err != nil {
		return err
	}
	rate := float64(c.overdue-1) / last.Sub(first).Seconds()
	b.report.sample("expired_per_s", rate)
	b.say("  %.0f expired/s", rate)
	// There may be many more, and their time is not measured.
	return c.stopGateway()
}

// advance moves a sandbox's time on until all that is open is overdue.
func (b *bench) advance(ctx context.Context) error {
	_, err := db.New(b.pool).TestClockAdvance(ctx, int64(validity.Seconds())+1)
	return err
}
