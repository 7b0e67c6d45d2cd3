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

// createsStored stores payments and measures creations once more, so that what
// a full database costs shows.
func (b *bench) createsStored(ctx context.Context) {
	if b.stored == 0 {
		return
	}
	began := time.Now()
	b.store(ctx)
	b.report.sample("store_seconds", time.Since(began).Seconds())
	b.createsOf(ctx, manyMethod, "stored_creates_per_s", "stored_create")
}

// storedAtOnce is how many payments one transaction stores.
const storedAtOnce = 50_000

// store writes completed and settled payments of the last month, as creation
// and settlement would have left them.
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

// storeSome writes the payments from one number up to another, as those of the
// ids and the events of the numbers that begin with the first ones. Triggers
// are off: that they would have found nothing is for the audit to say.
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

// reserveIDs takes ids from the sequence, so that the gateway's own go on after
// them.
const reserveIDs = "select setval('payment_id_seq', nextval('payment_id_seq') + $1) - $1"

// reserveNumbers takes the relay's next numbers, so that the events it relays
// go on after them.
const reserveNumbers = "update webhook_relay set last_number = last_number + $1 returning last_number - $1 + 1"
