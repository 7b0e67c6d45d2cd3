package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/requisite"
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
	const rate = "creates_none_open_per_s"
	c, err := b.openCrowd(ctx)
	if err != nil || b.report.median(rate) != nil {
		return c, err
	}
	return c, c.createsOf(ctx, manyMethod, rate, "create_none_open")
}

// snapshotRuns is how many measured runs' time the load goes on beside an open snapshot before the last one.
const snapshotRuns = 9

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
	over, err := c.creator(ctx, manyMethod, c.clients)
	if err != nil {
		return err
	}
	defer over.hangUp()
	if err := c.holdSnapshot(ctx); err != nil {
		return err
	}
	creates := load{
		rate: "creates_snapshot_start_per_s", use: "create_snapshot_start", do: over.act, made: over, window: "creates beside a snapshot",
	}
	if err := c.measured(ctx, creates); err != nil {
		return err
	}
	if _, _, err := closedLoop(ctx, c.clients, (snapshotRuns-1)*c.seconds, over.act); err != nil {
		return err
	}
	creates.rate, creates.use = "creates_snapshot_end_per_s", "create_snapshot_end"
	return c.measured(ctx, creates)
}

// holdSnapshot has a transaction keep its snapshot.
func (b *bench) holdSnapshot(ctx context.Context) error {
	return b.hold(ctx, pgx.RepeatableRead, "select 1")
}

// hold opens a transaction that does no more than one statement.
func (b *bench) hold(ctx context.Context, level pgx.TxIsoLevel, statement string, args ...any) error {
	conn, err := b.connectOne(ctx)
	if err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: level})
	if err == nil {
		_, err = tx.Exec(ctx, statement, args...)
	}
	if err != nil {
		return fmt.Errorf("hold a transaction: %w", err)
	}
	return nil
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
	return c.createsOf(ctx, manyMethod, "creates_many_open_per_s", "create_many_open")
}

// fill creates payments until so many are open, and tidies up after that, so that what it leaves
// behind is they alone.
func (b *bench) fill(ctx context.Context, count int) error {
	var open int
	if err := b.pool.QueryRow(ctx, "select count(*) from payment where status = 'pending'").Scan(&open); err != nil {
		return fmt.Errorf("count open payments: %w", err)
	}
	b.say("  %d payments are open, %d more to come", open, max(count-open, 0))
	if _, err := b.each(ctx, count-open, b.creation(manyMethod), nil); err != nil {
		return err
	}
	return b.vacuum(ctx)
}

// expire measures the sweep of one gateway that finds payments overdue. The time moves on while it
// is down, for a sandbox's call that moves it would take part in the work. What counts is what
// arrives at the receivers, from the first to the last webhook, until a quarter of what is to be overdue
// at least has come.
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
	err = c.restart(ctx, func() error {
		_, err := db.New(c.pool).TestClockAdvance(ctx, int64(validity.Seconds())+1)
		return err
	})
	if err != nil {
		return err
	}
	arrived, err := c.hooks.await(ctx, c.overdue/4)
	if err != nil {
		return err
	}
	b.report.sample("expired_per_s", arrived.rate())
	b.say("  %.0f expired/s", arrived.rate())
	// There may be many more, and their time is not measured.
	return c.stopGateway()
}

// memory measures what a gateway holds resident that has found a large pool of requisites at its
// start and creates payments among them.
func (b *bench) memory(ctx context.Context) error {
	p, err := b.apart(ctx, "pool")
	if err != nil {
		return err
	}
	defer p.leave()
	_, safe, err := p.safes(ctx)
	if err != nil {
		return err
	}
	if err := p.restart(ctx, func() error { return p.multiply(ctx, safe, p.memoryRequisites) }); err != nil {
		return err
	}
	over, err := p.creator(ctx, manyMethod, p.clients)
	if err != nil {
		return err
	}
	defer over.hangUp()
	for range p.runs {
		if _, _, err := closedLoop(ctx, p.clients, p.seconds/2, over.act); err != nil {
			return err
		}
		resident, err := residentBytes(p.gateway.pid())
		if err != nil {
			return err
		}
		p.report.sample("gateway_memory_100k_requisites_bytes", resident)
	}
	return nil
}

// copyRequisites adds requisites to a pool that are like its first one but for their ids, traders
// and values. The operators' calls, a hundred thousand of them, would take minutes.
const copyRequisites = `
insert into requisite (id, currency, method, trader_id, sealed, hash, last4, holder, bank, min_amount, max_amount, enabled, time_zone,
    daily_count, daily_sum, open_payments, work_from, work_until, weight, created_at)
select new.id, currency, method, ($3::bigint[])[1 + new.id % cardinality($3::bigint[])], new.sealed, new.hash, new.last4, holder, bank,
    min_amount, max_amount, enabled, time_zone, daily_count, daily_sum, open_payments, work_from, work_until, weight, created_at
from requisite first, (
    select unnest($1::bigint[]) as id, unnest($4::bytea[]) as sealed, unnest($5::bytea[]) as hash, unnest($6::text[]) as last4
) new
where first.id = (select min(id) from requisite where method = $2 and trader_id = any($3::bigint[]))`

// multiply brings the larger pool to so many requisites.
func (b *bench) multiply(ctx context.Context, safe *requisite.Safe, count int) error {
	const take = "select nextval(pg_get_serial_sequence('requisite', 'id')) from generate_series(1, $1)"
	rows, _ := b.pool.Query(ctx, take, max(count-b.requisites, 0)) // the rows have its error
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("take the ids of requisites: %w", err)
	}
	var values, hashes [][]byte
	var ends []string
	for n, id := range ids {
		sealed, err := safe.Seal(id, currency, fmt.Sprintf("+7912%07d", n))
		if err != nil {
			return err
		}
		values, hashes, ends = append(values, sealed.Value), append(hashes, sealed.Hash), append(ends, sealed.Last4)
	}
	_, err = b.pool.Exec(ctx, copyRequisites, ids, manyMethod, b.scene.traderIDs, values, hashes, ends)
	if err != nil {
		return fmt.Errorf("copy requisites: %w", err)
	}
	return b.vacuum(ctx)
}
