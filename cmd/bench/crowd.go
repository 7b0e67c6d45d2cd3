package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/requisite"
)

// openCrowd opens the place for many open payments, once.
func (b *bench) openCrowd(ctx context.Context) *bench {
	if b.crowd == nil {
		b.crowd = b.apart(ctx, "crowd")
	}
	return b.crowd
}

// warmCrowd opens that place. The first time it also measures creations, while
// hardly any payment is open.
func (b *bench) warmCrowd(ctx context.Context) *bench {
	const rate = "creates_none_open_per_s"
	c := b.openCrowd(ctx)
	if b.report.median(rate) == nil {
		c.createsOf(ctx, manyMethod, rate, "create_none_open")
	}
	return c
}

// snapshotRuns is the length of the load beside an open snapshot, in runs. The
// last of them is measured.
const snapshotRuns = 9

// besideSnapshot measures creations at the start and at the end of a load
// beside a transaction with an older snapshot. As long as that is open, vacuum
// cannot remove the dead rows of the load.
func (b *bench) besideSnapshot(ctx context.Context) {
	c := b.warmCrowd(ctx)
	c.vacuum(ctx)
	over := c.creator(ctx, manyMethod, c.clients)
	defer over.hangUp()
	c.holdSnapshot(ctx)
	creates := load{
		rate: "creates_snapshot_start_per_s", use: "create_snapshot_start", do: over.act, made: over, window: "creates beside a snapshot",
	}
	c.measured(ctx, creates)
	c.loop(ctx, (snapshotRuns-1)*c.seconds, over.act)
	creates.rate, creates.use = "creates_snapshot_end_per_s", "create_snapshot_end"
	c.measured(ctx, creates)
}

func (b *bench) holdSnapshot(ctx context.Context) { b.hold(ctx, pgx.RepeatableRead, "select 1") }

// hold runs a statement in a transaction and leaves that open.
func (b *bench) hold(ctx context.Context, level pgx.TxIsoLevel, statement string, args ...any) {
	const doing = "hold a transaction"
	tx, err := b.connectOne(ctx).BeginTx(ctx, pgx.TxOptions{IsoLevel: level})
	check(err, doing)
	_, err = tx.Exec(ctx, statement, args...)
	check(err, doing)
}

// besideOpen measures creations while many payments are open. The runs
// themselves leave equally many open in both measurements.
func (b *bench) besideOpen(ctx context.Context) {
	c := b.warmCrowd(ctx)
	c.fill(ctx, b.openPayments)
	c.createsOf(ctx, manyMethod, "creates_many_open_per_s", "create_many_open")
}

// fill creates payments until so many are open, and then vacuums, so that only
// they are left.
func (b *bench) fill(ctx context.Context, count int) {
	open := single[int](ctx, b, "count open payments", "select count(*) from payment where status = 'pending'")
	b.say("  %d payments are open, %d more to come", open, max(count-open, 0))
	b.each(ctx, count-open, b.creation(manyMethod), nil)
	b.vacuum(ctx)
}

// expire measures how fast one gateway expires overdue payments. The clock is
// moved while it is down, because the sandbox's call to move it would itself
// do some of the work. The rate is that of the webhooks, from the first to the
// last of a quarter of the payments.
func (b *bench) expire(ctx context.Context) {
	c := b.openCrowd(ctx)
	c.fill(ctx, c.overdue)
	c.commitsNow(ctx, "expired_commit_per_s")
	c.hooks.restart()
	c.restart(ctx, func() {
		must(db.New(c.pool).TestClockAdvance(ctx, int64(validity.Seconds())+1))
		// The audit is put off, because it would begin at once after
		// this jump of the clock and check everything.
		c.exec(ctx, "put the audit off", "update audit_run set proven_at = (select max(expires_at) from payment) where scope = 'recent'")
	})
	c.costs(ctx, "expired", "expiries", func() int64 {
		arrived := c.hooks.await(ctx, c.overdue/4, "webhooks")
		b.report.sample("expired_per_s", arrived.rate())
		b.say("  %.0f expired/s", arrived.rate())
		return int64(c.overdue / 4)
	})
	// The remaining payments are not measured.
	check(c.stopGateway())
}

// memory measures the resident memory of a gateway that has loaded a large
// pool of requisites and creates payments in it.
func (b *bench) memory(ctx context.Context) {
	p := b.apart(ctx, "pool")
	defer p.leave()
	_, safe := p.safes(ctx)
	p.restart(ctx, func() { p.multiply(ctx, safe, p.memoryRequisites) })
	over := p.creator(ctx, manyMethod, p.clients)
	defer over.hangUp()
	for range p.runs {
		p.loop(ctx, p.seconds/2, over.act)
		p.report.sample("gateway_memory_100k_requisites_bytes", must(residentBytes(p.gateway.pid())))
	}
}

// copyRequisites adds requisites like the first one of a pool, with other ids,
// traders and values. A hundred thousand calls of operators would take
// minutes.
const copyRequisites = `
insert into requisite (id, currency, method, trader_id, sealed, hash, last4, holder, bank, min_amount, max_amount, enabled, time_zone,
    daily_count, daily_sum, open_payments, work_from, work_until, weight, created_at)
select new.id, currency, method, ($3::bigint[])[1 + new.id % cardinality($3::bigint[])], new.sealed, new.hash, new.last4, holder, bank,
    min_amount, max_amount, enabled, time_zone, daily_count, daily_sum, open_payments, work_from, work_until, weight, created_at
from requisite first, (
    select unnest($1::bigint[]) as id, unnest($4::bytea[]) as sealed, unnest($5::bytea[]) as hash, unnest($6::text[]) as last4
) new
where first.id = (select min(id) from requisite where method = $2 and trader_id = any($3::bigint[]))`

// multiply enlarges the larger pool to so many requisites.
func (b *bench) multiply(ctx context.Context, safe *requisite.Safe, count int) {
	ids := list(ctx, b, "take the ids of requisites", pgx.RowTo[int64],
		"select nextval(pg_get_serial_sequence('requisite', 'id')) from generate_series(1, $1)", max(count-b.requisites, 0))
	var values, hashes [][]byte
	var ends []string
	for n, id := range ids {
		sealed := safe.Seal(id, currency, fmt.Sprintf("+7912%07d", n))
		values, hashes, ends = append(values, sealed.Value), append(hashes, sealed.Hash), append(ends, sealed.Last4)
	}
	b.exec(ctx, "copy requisites", copyRequisites, ids, manyMethod, b.scene.traderIDs, values, hashes, ends)
	b.vacuum(ctx)
}
