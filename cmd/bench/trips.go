package main

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/auth"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
)

const (
	// unrecorded creations come first: then the connection has prepared
	// its statements, and each merchant's key and open payments are in
	// memory.
	unrecorded = 200
	recordings = 60
)

// roundTrips creates payments in this process with one client and records the
// statements: everything that is sent to PostgreSQL for a creation.
func (b *bench) roundTrips(ctx context.Context) {
	// High ids are unlike all other numbers, so they can be found among
	// the arguments.
	b.exec(ctx, "reserve ids", reserveIDs, 1_000_000)
	heard := new(tap)
	create := b.creatorHere(ctx, heard)
	trips, statements := 0.0, 0.0
	for i := range unrecorded + recordings {
		c := creation{orderID: orderID(b.scene.next.Add(1)), amount: amount()}
		c.id, c.at = create(c.orderID, c.amount)
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
}

// settingsHere is how long this process believes the settings it has read.
// Nobody changes them while creations are recorded, and only a gateway is
// notified of changes.
const settingsHere = time.Hour

// creatorHere authenticates and creates payments in this process with the
// gateway's own services, over recorded connections.
func (b *bench) creatorHere(ctx context.Context, heard *tap) func(orderID, amount string) (int64, time.Time) {
	settings := must(inforce.NewKeeper(ctx, b.pool, settingsHere, nil))
	_, safe := b.safes(ctx)
	pool := b.heardPool(ctx, heard)
	payments := must(payment.New(db.OnePool(pool), clock.Real{}, outbound.NewAddresses(true), settings, payment.Config{
		ExternalSecret: true, Requisites: safe,
	}))
	keys := auth.NewKeys(pool, nil, auth.DefaultHeaders(), auth.Config{})
	o := b.orders(b.scene.recording, manyMethod, 0)
	return func(orderID, amount string) (int64, time.Time) {
		body := o.body(orderID, amount)
		signed := must(http.ReadRequest(bufio.NewReader(bytes.NewReader(o.request("bench", body)))))
		who := must(keys.Merchant(signed.WithContext(ctx), func() ([]byte, error) { return body, nil }))
		made := must(payments.Create(ctx, who, o.asked(orderID, amount)))
		return made.Payment.ID, made.Payment.CreatedAt
	}
}

// heardPool opens a pool like the gateway's for creations, which is closed at
// the part's end.
func (b *bench) heardPool(ctx context.Context, heard *tap) db.Pool {
	pool := must(db.Open(ctx, b.url, ownPool, db.ForCreations))
	defer pool.Close()
	config := pool.Config()
	config.ConnConfig.Tracer = heard
	tapped, err := pgxpool.NewWithConfig(ctx, config)
	check(err, "open the pool that is heard")
	b.atEnd(tapped.Close)
	return tapped
}

// call is a statement with its result. A failed statement, and those after it,
// have no tag.
type call struct {
	sql  string
	args []any
	tag  string
}

// trip is a round trip: what the driver sends before it waits for the server.
// It is a statement or a batch, possibly from BEGIN to COMMIT. Preparing a
// statement, which happens once a connection, is not counted.
type trip []*call

// completed counts its statements that succeeded.
func (t trip) completed() (n int) {
	for _, c := range t {
		if c.tag != "" {
			n++
		}
	}
	return n
}

// tap is a tracer that records the round trips of connections.
type tap struct {
	mu    sync.Mutex
	trips []trip
}

var (
	_ pgx.QueryTracer = (*tap)(nil)
	_ pgx.BatchTracer = (*tap)(nil)
)

// told returns the trips recorded since its last call.
func (t *tap) told() []trip {
	t.mu.Lock()
	defer t.mu.Unlock()
	trips := t.trips
	t.trips = nil
	return trips
}

// openCalls is the context key of a trip's calls that have no answer yet.
type openCalls struct{}

// keep records a trip and adds its calls to the context.
func (t *tap) keep(ctx context.Context, made trip) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trips = append(t.trips, made)
	return context.WithValue(ctx, openCalls{}, &made)
}

// answered records the result of the next call of the context's trip.
func (t *tap) answered(ctx context.Context, tag string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	open, _ := ctx.Value(openCalls{}).(*trip)
	if open == nil || len(*open) == 0 {
		return
	}
	if err == nil {
		(*open)[0].tag = tag
	}
	*open = (*open)[1:]
}

func (t *tap) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return t.keep(ctx, trip{newCall(data.SQL, data.Args)})
}

func (t *tap) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.answered(ctx, data.CommandTag.String(), data.Err)
}

func (t *tap) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	var made trip
	for _, queued := range data.Batch.QueuedQueries {
		made = append(made, newCall(queued.SQL, queued.Arguments))
	}
	return t.keep(ctx, made)
}

func (t *tap) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	t.answered(ctx, data.CommandTag.String(), data.Err)
}

func (*tap) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// newCall dereferences pointers among the arguments, so that equal values can
// be found.
func newCall(sql string, args []any) *call {
	c := &call{sql: sql}
	for _, arg := range args {
		if v := reflect.ValueOf(arg); v.Kind() == reflect.Pointer {
			arg = nil
			if !v.IsNil() {
				arg = v.Elem().Interface()
			}
		}
		c.args = append(c.args, arg)
	}
	return c
}
