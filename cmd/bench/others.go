package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

const (
	// othersRate is how many creations a second the others make, and othersClients over how many
	// connections.
	othersRate, othersClients = 100, 32
	// busyMost is how long one of the others may be told to come again before the measurement
	// fails.
	busyMost = 5 * time.Second
	// burstClients are one merchant's callers at once, and hangingEndpoints those that never
	// answer, each with hangingEvents.
	burstClients                    = 200
	hangingEndpoints, hangingEvents = 500, 100
	// desks are the traders' that list payments at once, and replayedEvents a merchant's that are
	// sent again to an endpoint that hangs.
	desks, replayedEvents = 20, 100_000
)

// othersName is what the samples' names begin with.
const othersName = "others_p99_ms."

// trouble is what one of them has, or does. It lasts until what it answers is called.
type trouble struct {
	name  string
	begin func(*bench, context.Context) (end func(), err error)
	// outside says that the trouble itself keeps a snapshot, as nothing of the house does.
	outside bool
}

func troubles() []trouble {
	return []trouble{
		{name: "none", begin: func(*bench, context.Context) (func(), error) { return func() {}, nil }},
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

// others measures how long creations of merchants take who have no part in a trouble, while it
// lasts, and how long the house itself keeps a snapshot at most.
func (b *bench) others(ctx context.Context) error {
	c, err := b.apart(ctx, "others")
	if err != nil {
		return err
	}
	defer c.leave()
	if err := c.fill(ctx, c.overdue); err != nil {
		return err
	}
	for _, t := range troubles() {
		if err := c.beside(ctx, t); err != nil {
			return fmt.Errorf("beside %s: %w", t.name, err)
		}
	}
	return nil
}

// watchSnapshots looks at the age of every snapshot in the database until what it answers is
// called, which tells the oldest's.
func (b *bench) watchSnapshots(ctx context.Context) func() time.Duration {
	const oldest = `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 from pg_stat_activity
		where datname = current_database() and backend_type = 'client backend' and backend_xmin is not null and pid <> pg_backend_pid()`
	watching, stop := context.WithCancel(ctx)
	seen := make(chan float64)
	go func() {
		var most, age float64
		for watching.Err() == nil {
			if err := b.pool.QueryRow(watching, oldest).Scan(&age); err == nil {
				most = max(most, age)
			}
			select {
			case <-watching.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		seen <- most
	}()
	return func() time.Duration {
		stop()
		return time.Duration(<-seen * float64(time.Second))
	}
}

// beside measures them beside one trouble. The connections are opened just before: the gateway
// closes those on which nothing comes, and a trouble may take its time to begin.
func (b *bench) beside(ctx context.Context, t trouble) error {
	end, err := t.begin(b, ctx)
	if err != nil {
		return err
	}
	defer end()
	oldest := b.watchSnapshots(ctx)
	time.Sleep(b.seconds / 2) // the trouble is well under way before the others are looked at
	over, hangUp, err := b.creator(ctx, manyMethod, othersClients)
	if err != nil {
		oldest()
		return err
	}
	defer hangUp()
	taken, err := openLoop(
		ctx,
		othersClients,
		othersRate,
		b.seconds,
		func(ctx context.Context, client int) (bool, error) {
			// A caller who is told to come again does so, and all of that time counts. One who is told
			// so for long is not served.
			for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				done, err := over.act(ctx, client)
				if !errors.Is(err, errBusy) || time.Since(began) > busyMost {
					return done, err
				}
			}
		},
	)
	if age := oldest(); !t.outside {
		b.report.sample("longest_snapshot_s", age.Seconds())
	}
	if err != nil {
		return err
	}
	p99 := percentile(taken, 99)
	b.report.sample(othersName+t.name, p99)
	b.say("  beside %s: p50 %.1f ms, p99 %.1f ms, longest %.1f ms", t.name, percentile(taken, 50), p99, percentile(taken, 100))
	return nil
}

// holdAccount locks a trader's balance in a transaction that does nothing else.
func (b *bench) holdAccount(ctx context.Context) (func(), error) {
	conn, err := b.connectOne(ctx)
	if err != nil {
		return nil, err
	}
	end := func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{})
	if err == nil {
		_, err = tx.Exec(ctx, "select from account_balance where account_id = $1 for update",
			ledger.Available(ledger.Trader, b.scene.traderIDs[0]).ID())
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("hold an account: %w", err)
	}
	return end, nil
}

// freezeReplica loads a second gateway and stops it in the middle.
func (b *bench) freezeReplica(ctx context.Context) (func(), error) {
	dir := b.gateway.dir + "-replica"
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	const key = "sandbox.key"
	content, err := os.ReadFile(filepath.Join(b.gateway.dir, key))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, key), content, 0o600) //nolint:gosec // in our own directory
	}
	if err != nil {
		return nil, fmt.Errorf("share the sandbox's key: %w", err)
	}
	replica := *b
	if replica.gateway, err = b.launch(ctx, dir, b.url); err != nil {
		return nil, err
	}
	process := replica.gateway.cmd.Process
	end := func() {
		_ = process.Signal(syscall.SIGCONT)
		_ = replica.stopGateway()
	}
	over, hangUp, err := replica.creator(ctx, manyMethod, b.clients)
	if err != nil {
		end()
		return nil, err
	}
	loading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = closedLoop(loading, b.clients, time.Hour, over.act)
	}()
	time.Sleep(time.Second)
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		b.say("freeze the replica: %v", err)
	}
	return func() {
		stop()
		hangUp()
		<-done
		end()
	}, nil
}

// burst has one merchant create over many connections at once.
func (b *bench) burst(ctx context.Context) (func(), error) {
	o := b.scene.orders(b.scene.boxes[0], manyMethod, b.hooks.urls()[0])
	return b.along(ctx, burstClients, func(int) []byte {
		return o.request(hostOf(b.gateway.BaseURL), o.body(b.scene.next.Add(1)))
	})
}

// list has traders look for what they have confirmed, of which there is nothing among all they have
// open.
func (b *bench) list(ctx context.Context) (func(), error) {
	return b.along(ctx, desks, func(client int) []byte {
		trader := b.scene.traderIDs[client%len(b.scene.traderIDs)]
		return bearerRequest(
			hostOf(b.gateway.BaseURL),
			"/portal.v1.TraderService/ListPayments",
			b.scene.tokens[trader],
			[]byte(`{"status":"completed"}`),
		)
	})
}

// along has as many clients call, each again and again. They may be told to come later.
func (b *bench) along(ctx context.Context, clients int, request func(client int) []byte) (func(), error) {
	wires, hangUp, err := dialAll(ctx, hostOf(b.gateway.BaseURL), clients)
	if err != nil {
		return nil, err
	}
	loading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, err := closedLoop(loading, clients, time.Hour, func(_ context.Context, client int) (bool, error) {
			_, err := wires[client].send(request(client))
			if errors.Is(err, errStatus) {
				err = nil
			}
			return true, err
		})
		if err != nil && loading.Err() == nil {
			b.say("  beside it: %v", err)
		}
	}()
	return func() {
		stop()
		hangUp()
		<-done
	}, nil
}

// auditAlong audits the whole ledger, again and again.
func (b *bench) auditAlong(ctx context.Context) (func(), error) {
	auditing, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for auditing.Err() == nil {
			_, _ = audit.Everything(auditing, b.pool)
		}
	}()
	return func() {
		stop()
		<-done
	}, nil
}

// hangEvents writes events for the merchants given, of an endpoint each that is at the address:
// given up, or to be delivered.
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
func hangingHost(ctx context.Context) (url string, hangUp func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
		}
	}()
	return "http://" + listener.Addr().String() + "/", func() { _ = listener.Close() }, nil
}

// hang has many merchants' endpoints accept deliveries and never answer.
func (b *bench) hang(ctx context.Context) (func(), error) {
	url, hangUp, err := hangingHost(ctx)
	if err == nil {
		_, err = b.merchantsOf(ctx, hangingEndpoints, url, hangingEvents, "pending")
	}
	return hangUp, err
}

// replayToHanging has a merchant send again all that their endpoint did not take, and it still
// hangs.
func (b *bench) replayToHanging(ctx context.Context) (func(), error) {
	url, hangUp, err := hangingHost(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := b.merchantsOf(ctx, 1, url, replayedEvents, "dead")
	if err != nil {
		return nil, err
	}
	office, leave, err := b.openOffice(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var answer struct{ Replayed string }
	return hangUp, office.call(0, "ReplayEvents", map[string]any{"merchantId": ids[0], "url": url}, &answer)
}

// merchantsOf makes merchants with a cashbox and as many events each, in a status.
func (b *bench) merchantsOf(ctx context.Context, merchants int, url string, events int, status string) ([]int64, error) {
	var ids []int64
	err := b.onStage(ctx, func(ctx context.Context, s *stage) error {
		for range merchants {
			id, err := s.q.MerchantInsert(ctx, db.MerchantInsertParams{Name: "Hanging", CreatedAt: s.now})
			if err != nil {
				return fmt.Errorf("make a merchant: %w", err)
			}
			if _, err := s.addCashbox(ctx, id, "Hanging"); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		_, err := s.tx.Exec(ctx, hangEvents, ids, url, events, status)
		return err
	})
	return ids, err
}
