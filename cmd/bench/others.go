package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/ledger"
)

const (
	// othersRate is how many creations a second the others make, and othersClients over how many connections.
	othersRate, othersClients = 100, 32
	// troubleBefore is how long a trouble lasts before the others are looked at.
	troubleBefore = 3 * time.Second
	// burstClients are one merchant's callers at once, and hangingEndpoints those that never answer, each with hangingEvents.
	burstClients                    = 200
	hangingEndpoints, hangingEvents = 500, 100
)

// othersName is what the samples' names begin with.
const othersName = "others_p99_ms."

// trouble is what one of them has, or does. It lasts until what it answers is called.
type trouble struct {
	name  string
	begin func(*bench, context.Context) (end func(), err error)
}

func troubles() []trouble {
	return []trouble{
		{"none", func(*bench, context.Context) (func(), error) { return func() {}, nil }},
		{"held_account", (*bench).holdAccount},
		{"frozen_replica", (*bench).freezeReplica},
		{"burst", (*bench).burst},
		{"audit", (*bench).auditAlong},
		{"hanging_endpoints", (*bench).hang},
	}
}

// others measures how long creations of merchants take who have no part in a trouble, while it lasts.
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

func (b *bench) beside(ctx context.Context, t trouble) error {
	over, hangUp, err := b.creator(ctx, manyMethod, othersClients)
	if err != nil {
		return err
	}
	defer hangUp()
	end, err := t.begin(b, ctx)
	if err != nil {
		return err
	}
	defer end()
	time.Sleep(troubleBefore)
	sorted, err := openLoop(ctx, othersClients, othersRate, b.seconds, over.act)
	if err != nil {
		return err
	}
	p99 := percentile(sorted, .99)
	b.report.sample(othersName+t.name, p99)
	b.say("  beside %s: p50 %.1f ms, p99 %.1f ms, longest %.1f ms", t.name, percentile(sorted, .5), p99, percentile(sorted, 1))
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
	wires, hangUp, err := dialAll(ctx, hostOf(b.gateway.BaseURL), burstClients)
	if err != nil {
		return nil, err
	}
	loading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o := b.scene.orders(b.scene.boxes[0], manyMethod, b.hooks.urls()[0])
		_, _, _ = closedLoop(loading, burstClients, time.Hour, func(_ context.Context, client int) (bool, error) {
			_, err := wires[client].send(o.request(hostOf(b.gateway.BaseURL), o.body(b.scene.next.Add(1))))
			if errors.Is(err, errStatus) {
				err = nil // it may be told to come later
			}
			return true, err
		})
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
			_, _ = ledger.Audit(auditing, b.pool)
		}
	}()
	return func() {
		stop()
		<-done
	}, nil
}

// hangEvents writes events for the merchants given, of an endpoint each that is at the address.
const hangEvents = `
with owner as (
    select merchant_id, min(id) as cashbox_id from cashbox where merchant_id = any($1::bigint[]) group by merchant_id
), event as (
    insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
    select merchant_id, gen_random_uuid(), cashbox_id, 'payment.status.updated', 'bench', n, 1, $2, '{}', now()
    from owner, generate_series(1, $3::integer) n returning merchant_id, id
)
insert into webhook_outbox (merchant_id, event_id) select merchant_id, id from event`

// hang has many merchants' endpoints accept deliveries and never answer.
func (b *bench) hang(ctx context.Context) (func(), error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
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
	office, hangUp, err := b.openOffice(ctx)
	if err != nil {
		return nil, err
	}
	defer hangUp()
	var made []setting
	for n := range hangingEndpoints {
		made = append(made, setting{"CreateMerchant", map[string]any{"name": "Hanging " + strconv.Itoa(n)}})
	}
	ids, err := office.create(ctx, made)
	if err != nil {
		return nil, err
	}
	var boxes []setting
	for _, id := range ids {
		boxes = append(boxes, setting{"CreateCashbox", map[string]any{"merchantId": id, "name": "Hanging", "currency": currency}})
	}
	if err := office.set(ctx, boxes); err != nil {
		return nil, err
	}
	url := "http://" + listener.Addr().String() + "/"
	if _, err := b.pool.Exec(ctx, hangEvents, ids, url, hangingEvents); err != nil {
		return nil, fmt.Errorf("write events: %w", err)
	}
	return func() { _ = listener.Close() }, nil
}
