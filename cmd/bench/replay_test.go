package main

import (
	"context"
	"errors"
	"testing"
	"time"

	pgxdecimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// tapped is a connection that is heard.
func tapped(t *testing.T, url string, heard *tap) *pgx.Conn {
	t.Helper()
	config := testenv.Must(pgx.ParseConfig(url))(t)
	config.Tracer = heard
	conn := testenv.Must(pgx.ConnectConfig(t.Context(), config))(t)
	pgxdecimal.Register(conn.TypeMap())
	t.Cleanup(func() { noError(t, conn.Close(context.WithoutCancel(t.Context()))) })
	return conn
}

// create makes a creation in one pipeline, from BEGIN to COMMIT, that gives the payment's id
// itself.
func create(ctx context.Context, conn *pgx.Conn, id int64, c creation) error {
	var batch pgx.Batch
	batch.Queue("begin")
	batch.Queue("insert into made (id, order_id, amount) values ($1, $2, $3)", id, c.orderID,
		decimal.RequireFromString(c.amount))
	batch.Queue("insert into written (made, limited) values ($1, $2)", id, 1)
	batch.Queue("commit")
	return conn.SendBatch(ctx, &batch).Close()
}

// Creations of one pipeline are recorded as one round trip each, and replayed with ids, order ids
// and amounts of their own. What a constraint refuses is not done, and leaves the connection as it
// was.
func TestReplayOfAPipeline(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Empty(t)
	d.Exec(t, `create table made (id bigint primary key, order_id text unique, amount numeric(14, 2));
create table written (made bigint references made, limited integer)`)
	heard := new(tap)
	b := &bench{place: place{url: d.URL, scene: scene{next: new(counter)}}}
	conn := tapped(t, d.URL, heard)
	for id := range int64(5) {
		c := creation{orderID: orderID(b.scene.next.Add(1)), amount: amount(), id: 100 + id, at: time.Now()}
		noError(t, create(ctx, conn, 100+id, c))
		c.trips = heard.told()
		b.recorded = append(b.recorded, c)
	}
	if last := b.recorded[4].trips; len(last) != 1 || last[0].completed() != 4 {
		t.Fatalf("recorded %+v", last)
	}

	b.clients = 1
	replay, end, err := b.replayer(ctx)
	noError(t, err)
	defer end()
	for range 3 {
		if done, err := replay(ctx, 0); !done || err != nil {
			t.Fatalf("replayed %v (%v)", done, err)
		}
	}
	wantRows(t, d.Pool, 8)
	d.Exec(t, "alter table written add check (limited < 1) not valid")
	done, err := replay(ctx, 0)
	testenv.Check(t, !done && err == nil, "one refused: %v (%v)", done, err)
	wantRows(t, d.Pool, 8)
	d.Exec(t, "drop table written")
	_, err = replay(ctx, 0)
	testenv.Check(t, err != nil && !errors.Is(err, context.Canceled), "one that failed: %v", err)
}

func wantRows(t *testing.T, pool *pgxpool.Pool, want int) {
	t.Helper()
	var made, written, orders int
	const count = "select count(*), (select count(*) from written join made on made = id), count(distinct order_id) from made"
	noError(t, pool.QueryRow(t.Context(), count).Scan(&made, &written, &orders))
	testenv.Check(t, made == want && written == want && orders == want,
		"%d made, %d written, %d orders, want %d of each", made, written, orders, want)
}

var noError = testenv.NoError
