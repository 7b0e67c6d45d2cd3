package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/requisite"
)

// openCrowd opens a place that fills with open payments, once.
func (b *bench) openCrowd(ctx context.Context) *bench {
	if b.crowd == nil {
		b.crowd = b.apart(ctx, "crowd")
	}
	return b.crowd
}

// warmCrowd opens the crowd's place. The first time it also measures creations,
// while hardly any payment is open.
func (b *bench) warmCrowd(ctx context.Context) *bench {
	const rate = "creates_none_open_per_s"
	c := b.openCrowd(ctx)
	if b.report.median(rate) == nil {
		c.createsOf(ctx, manyMethod, rate, "create_none_open")
	}
	return c
}

// snapshotRuns is how many measured runs' time the load goes on beside an open
// snapshot before the last one.
const snapshotRuns = 9

// besideSnapshot measures creations at the start and at the end of a load,
// while another transaction keeps the snapshot that it took before: until it
// ends, no vacuum can remove what the load leaves behind in tables and indexes.
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

// hold makes one statement in a transaction, and leaves it open.
func (b *bench) hold(ctx context.Context, level pgx.TxIsoLevel, statement string, args ...any) {
	const doing = "hold a transaction"
	tx, err := b.connectOne(ctx).BeginTx(ctx, pgx.TxOptions{IsoLevel: level})
	check(err, doing)
	_, err = tx.Exec(ctx, statement, args...)
	check(err, doing)
}

// besideOpen measures creations while many payments are open. As many more are
// open than in the measurement of none, for what the runs themselves make is
// open in both.
func (b *bench) besideOpen(ctx context.Context) {
	c := b.warmCrowd(ctx)
	c.fill(ctx, b.openPayments)
	c.createsOf(ctx, manyMethod, "creates_many_open_per_s", "create_many_open")
}

// fill creates payments until so many are open, and tidies up after that, so
// that what it leaves behind is they alone.
func (b *bench) fill(ctx context.Context, count int) {
	open := single[int](ctx, b, "count open payments", "select count(*) from payment where status = 'pending'")
	b.say("  %d payments are open, %d more to come", open, max(count-open, 0))
	b.each(ctx, count-open, b.creation(manyMethod), nil)
	b.vacuum(ctx)
}

// expire measures the sweep of one gateway that finds payments overdue. The
// time moves on while it is down, for a sandbox's call that moves it would take
// part in the work. What counts is what arrives at the receivers, from the
// first to the last webhook, until a quarter of what is to be overdue at least
// has come.
func (b *bench) expire(ctx context.Context) {
	c := b.openCrowd(ctx)
	c.fill(ctx, c.overdue)
	c.commitsNow(ctx, "expired_commit_per_s")
	c.hooks.restart()
	c.restart(ctx, func() {
		must(db.New(c.pool).TestClockAdvance(ctx, int64(validity.Seconds())+1))
		// What has passed is no time, so no audit of all that the bench
		// has made is due after it.
		c.exec(ctx, "put the audit off", "update audit_run set proven_at = (select max(expires_at) from payment) where scope = 'recent'")
	})
	c.costs(ctx, "expired", "expiries", func() int64 {
		arrived := c.hooks.await(ctx, c.overdue/4, "webhooks")
		b.report.sample("expired_per_s", arrived.rate())
		b.say("  %.0f expired/s", arrived.rate())
		return int64(c.overdue / 4)
	})
	// There may be many more, and their time is not measured.
	check(c.stopGateway())
}

// memory measures what a gateway holds resident that has found a large pool of
// requisites at its start and creates payments among them.
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

// copyRequisites adds requisites to a pool that are like its first one but for
// their ids, traders and values. The operators' calls, a hundred thousand of
// them, would take minutes.
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
