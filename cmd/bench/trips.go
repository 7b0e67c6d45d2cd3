package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/auth"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
)

const (
	// unrecorded creations come first, until the connection they use has its statements prepared,
	// and each merchant's key and open payments are known.
	unrecorded = 200
	recordings = 60
)

// roundTrips has one client create payments in this process, and notes the statements. What counts
// is all that is said to PostgreSQL for the creations, in whatever tables.
func (b *bench) roundTrips(ctx context.Context) error {
	// Ids of payments are like those of nothing else then, and so are found among what is said.
	if _, err := b.pool.Exec(ctx, reserveIDs, 1_000_000); err != nil {
		return fmt.Errorf("reserve ids: %w", err)
	}
	heard := new(tap)
	create, end, err := b.creatorHere(ctx, heard)
	if err != nil {
		return err
	}
	defer end()
	trips, statements := 0.0, 0.0
	for i := range unrecorded + recordings {
		c := creation{orderID: orderID(b.scene.next.Add(1)), amount: amount()}
		if c.id, c.at, err = create(ctx, c.orderID, c.amount); err != nil {
			return err
		}
		c.trips = heard.told()
		if i < unrecorded {
			continue
		}
		trips += float64(len(c.trips))
		for _, made := range c.trips {
			statements += float64(made.completed())
		}
		b.recorded = append(b.recorded, c)
	}
	trips, statements = trips/recordings, statements/recordings
	b.report.sample("create_round_trips", trips)
	b.report.sample("create_statements", statements)
	return nil
}

// settingsHere is how long settings are believed that this process has read. Nobody changes them
// while creations are recorded, and another process than a gateway's asks for them in vain.
const settingsHere = time.Hour

// creatorHere authenticates and creates payments in this process, with the rooms that the gateway
// has for it, over connections that are heard.
func (b *bench) creatorHere(
	ctx context.Context,
	heard *tap,
) (create func(ctx context.Context, orderID, amount string) (int64, time.Time, error), end func(), err error) {
	settings, err := directory.NewKeeper(ctx, b.pool, settingsHere, nil)
	if err != nil {
		return nil, nil, err
	}
	_, safe, err := b.safes(ctx)
	if err != nil {
		return nil, nil, err
	}
	pool, err := b.heardPool(ctx, heard)
	if err != nil {
		return nil, nil, err
	}
	pools, addresses := db.OnePool(pool), outbound.NewAddresses(true)
	payments, err := payment.New(pools, clock.Real{}, addresses, settings, payment.Config{
		ExternalSecret: true, Requisites: safe,
	})
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	keys := auth.NewKeys(pool, nil, auth.DefaultHeaders(), auth.Config{})
	o := b.scene.orders(b.scene.recording, manyMethod, b.hooks.urls()[0])
	return func(ctx context.Context, orderID, amount string) (int64, time.Time, error) {
		body := o.bodyOf(orderID, amount)
		signed, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(o.request("bench", body))))
		if err != nil {
			return 0, time.Time{}, err
		}
		who, err := keys.Merchant(signed.WithContext(ctx), func() ([]byte, error) { return body, nil })
		if err != nil {
			return 0, time.Time{}, err
		}
		made, err := payments.Create(ctx, who, o.asked(orderID, amount))
		return made.Payment.ID, made.Payment.CreatedAt, err
	}, pool.Close, nil
}

// heardPool opens a pool as the gateway's for creations.
func (b *bench) heardPool(ctx context.Context, heard *tap) (*pgxpool.Pool, error) {
	pool, err := db.Open(ctx, b.url, ownPool, db.ForCreations)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	config := pool.Config()
	config.ConnConfig.Tracer = heard
	tapped, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the pool that is heard: %w", err)
	}
	return tapped, nil
}
