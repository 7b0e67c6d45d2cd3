package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// createsStored measures creations again in a database with many stored
// payments.
func (b *bench) createsStored(ctx context.Context) {
	if b.stored == 0 {
		return
	}
	began := time.Now()
	b.store(ctx)
	b.report.sample("store_seconds", time.Since(began).Seconds())
	b.createsOf(ctx, manyMethod, "stored_creates_per_s", "stored_create")
}

// storedAtOnce is the number of payments in one transaction.
const storedAtOnce = 50_000

// store writes payments completed in the last month, as creation and
// settlement would leave them.
func (b *bench) store(ctx context.Context) {
	first := single[int64](ctx, b, "reserve ids", reserveIDs, b.stored)
	firstEvent := single[int64](ctx, b, "reserve the events' numbers", reserveNumbers, b.stored)
	chunks := (b.stored + storedAtOnce - 1) / storedAtOnce
	_, err := workOff(ctx, min(runtime.NumCPU(), ownPool/2), chunks, func(ctx context.Context, _, i int) error {
		from := i * storedAtOnce
		to := min(from+storedAtOnce, b.stored)
		b.say("  storing payments %d to %d", from+1, to)
		return db.InTx(ctx, b.pool, func(tx pgx.Tx, _ *db.Queries) error {
			return b.storeSome(ctx, tx, from, to, first, firstEvent)
		})
	})
	check(err, "store payments")
	b.vacuum(ctx)
}

//go:embed store.sql
var storeStatements string

// storeSome writes the payments numbered from one number up to another; ids
// and events count from the first ones given. Triggers are off, so only the
// audit finds mistakes here.
func (b *bench) storeSome(ctx context.Context, tx pgx.Tx, from, to int, first, firstEvent int64) error {
	if _, err := tx.Exec(ctx, "set local synchronous_commit = off; set local session_replication_role = replica"); err != nil {
		return err
	}
	boxIDs := make([]int64, 0, len(b.scene.boxes))
	for _, box := range b.scene.boxes {
		boxIDs = append(boxIDs, box.id)
	}
	drawPayments, storePayments, _ := strings.Cut(storeStatements, ";\n")
	_, err := tx.Exec(ctx, drawPayments, b.stored, first, boxIDs, b.scene.traderIDs, b.hooks.urls[0],
		ledger.Available(ledger.Trader, 0).ID(), ledger.Available(ledger.Cashbox, 0).ID(),
		ledger.Available(ledger.Platform, 0).ID(), b.scene.merchantID, from, to, firstEvent)
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(strings.TrimSpace(storePayments), ";\n") {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%.40q: %w", strings.TrimSpace(statement), err)
		}
	}
	return nil
}

// reserveIDs reserves ids, so that the gateway continues after them.
const reserveIDs = "select setval('payment_id_seq', nextval('payment_id_seq') + $1) - $1"

// reserveNumbers reserves the relay's numbers, so that the gateway continues
// after them.
const reserveNumbers = "update webhook_relay set last_number = last_number + $1 returning last_number - $1 + 1"
