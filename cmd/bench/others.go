package main

import (
	"context"
	"net"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/audit"
	"gateway.example/internal/ledger"
)

const (
	// burstClients is how many parallel callers one merchant has.
	// hangingEndpoints never answer, and each has hangingEvents.
	burstClients                    = 200
	hangingEndpoints, hangingEvents = 500, 100
	// desks is how many traders list payments at once. replayedEvents are
	// sent again to an endpoint that hangs.
	desks, replayedEvents = 20, 100_000
)

// othersName is the prefix of the samples' names.
const othersName = "others_p99_ms."

// trouble is something that could disturb others. It releases what it holds at
// its end.
type trouble struct {
	name  string
	begin func(*bench, context.Context)
	// outside says that the trouble holds a snapshot itself, which the
	// gateway never does.
	outside bool
}

// troubles lists what creations of uninvolved merchants are measured beside.
// The first is no trouble, for comparison.
func troubles() []trouble {
	return []trouble{
		{name: "none", begin: func(*bench, context.Context) {}},
		{name: "held_account", begin: (*bench).holdAccount, outside: true},
		{name: "frozen_replica", begin: (*bench).freezeReplica},
		{name: "burst", begin: (*bench).burst},
		{name: "lists", begin: (*bench).list},
		{name: "audit", begin: (*bench).auditAlong},
		{name: "hanging_endpoints", begin: (*bench).hang},
		{name: "replay", begin: (*bench).replayToHanging},
		{name: "old_snapshot", begin: (*bench).holdSnapshot, outside: true},
	}
}

// others measures the latency of creations for merchants who have no part in a
// trouble, and how long the gateway itself keeps a snapshot open at most.
func (b *bench) others(ctx context.Context) {
	c := b.apart(ctx, "others")
	defer c.leave()
	c.fill(ctx, c.overdue)
	for _, t := range troubles() {
		check(c.within(func() { c.beside(ctx, t) }), "beside "+t.name)
	}
}

// watchSnapshots watches the age of all snapshots. The returned function ends
// that and returns the highest age in seconds.
func (b *bench) watchSnapshots(ctx context.Context) func() float64 {
	const oldest = `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 from pg_stat_activity
		where datname = current_database() and backend_type = 'client backend' and backend_xmin is not null and pid <> pg_backend_pid()`
	var most float64
	end := meanwhile(ctx, func(ctx context.Context) {
		for ctx.Err() == nil {
			var age float64
			if err := b.pool.QueryRow(ctx, oldest).Scan(&age); err == nil {
				most = max(most, age)
			}
			pause(ctx, 20*time.Millisecond)
		}
	})
	b.atEnd(end)
	return func() float64 {
		end()
		return most
	}
}

// beside measures them beside one trouble.
func (b *bench) beside(ctx context.Context, t trouble) {
	t.begin(b, ctx)
	oldest := b.watchSnapshots(ctx)
	pause(ctx, b.seconds/6) // the trouble is well under way before the others are looked at
	taken := b.scheduled(ctx, createsBeside, b.besideTime())
	if age := oldest(); !t.outside {
		b.report.sample("longest_snapshot_s", age)
	}
	p99 := percentile(taken, 99)
	b.report.sample(othersName+t.name, p99)
	b.say("  beside %s: p50 %.1f ms, p99 %.1f ms, longest %.1f ms", t.name, percentile(taken, 50), p99, percentile(taken, 100))
}

// holdAccount locks a trader's balance in a transaction that then does
// nothing.
func (b *bench) holdAccount(ctx context.Context) {
	b.hold(ctx, pgx.ReadCommitted, "select from account_balance where account_id = $1 for update",
		ledger.Available(ledger.Trader, b.scene.traderIDs[0]).ID())
}

// freezeReplica loads a second gateway and freezes it in the middle.
func (b *bench) freezeReplica(ctx context.Context) {
	replica := *b
	replica.gateway = b.launchBeside(ctx, b.gateway.dir, b.gateway.dir+"-replica")
	b.atEnd(func() {
		_ = replica.gateway.signal(thaw)
		_ = replica.stopGateway()
	})
	replica.along(ctx, b.clients, replica.creation(manyMethod))
	pause(ctx, time.Second)
	check(replica.gateway.signal(freeze))
}

// burst creates payments of one merchant over many connections at once.
func (b *bench) burst(ctx context.Context) {
	b.along(ctx, burstClients, func(int) []byte {
		return b.create(b.scene.boxes[0], manyMethod, 0, orderID(b.scene.next.Add(1)))
	})
}

// list lets traders list completed payments, of which they have none among
// many open ones.
func (b *bench) list(ctx context.Context) { b.along(ctx, desks, b.listCompleted) }

func (b *bench) listCompleted(client int) []byte {
	trader := b.scene.traderIDs[client%len(b.scene.traderIDs)]
	return b.bearer(traderService+"ListPayments", b.scene.tokens[trader], `{"status":"completed"}`)
}

// auditAlong audits the whole ledger again and again.
func (b *bench) auditAlong(ctx context.Context) {
	b.atEnd(meanwhile(ctx, func(ctx context.Context) {
		for ctx.Err() == nil {
			_, _ = audit.Everything(ctx, b.pool)
		}
	}))
}

// hangEvents writes events for merchants, each with an own endpoint at the
// address, with the status given.
const hangEvents = `
with owner as (
    select merchant_id, min(id) as cashbox_id from cashbox where merchant_id = any($1::bigint[]) group by merchant_id
), event as (
    insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, status, number)
    select merchant_id, gen_random_uuid(), cashbox_id, 'payment.status.updated', 'bench', n, 1, $2, '{}', now(), $4, case $4 when 'dead' then n end
    from owner, generate_series(1, $3::integer) n returning merchant_id, id
)
insert into webhook_outbox (merchant_id, event_id) select merchant_id, id from event where $4 = 'pending'`

// hangingHost accepts connections and never answers.
func (b *bench) hangingHost(ctx context.Context) (url string) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	check(err, "listen")
	b.atEnd(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
		}
	}()
	return "http://" + listener.Addr().String() + "/"
}

// hang lets the endpoints of many merchants accept deliveries and never
// answer.
func (b *bench) hang(ctx context.Context) {
	b.merchantsOf(ctx, hangingEndpoints, b.hangingHost(ctx), hangingEvents, "pending")
}

// replayToHanging sends all dead events of a merchant again, to an endpoint
// that still hangs.
func (b *bench) replayToHanging(ctx context.Context) {
	url := b.hangingHost(ctx)
	ids := b.merchantsOf(ctx, 1, url, replayedEvents, "dead")
	b.each(ctx, 1, func(int) []byte { return b.sendAgain(ids[0], url) }, nil)
}

// merchantsOf creates merchants with a cashbox and so many events each.
func (b *bench) merchantsOf(ctx context.Context, merchants int, url string, events int, status string) (ids []int64) {
	b.onStage(ctx, func(s *stage) {
		for range merchants {
			id := s.addMerchant("Hanging")
			s.addCashbox(id, "Hanging")
			ids = append(ids, id)
		}
		must(s.tx.Exec(ctx, hangEvents, ids, url, events, status))
	})
	return ids
}
