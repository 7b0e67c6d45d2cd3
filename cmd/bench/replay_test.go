package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	pgxdecimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
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

// create makes a creation in one pipeline, from BEGIN to COMMIT, that gives the
// payment's id itself.
func create(ctx context.Context, conn *pgx.Conn, id int64, c creation) error {
	var batch pgx.Batch
	batch.Queue("begin")
	batch.Queue("insert into made (id, order_id, amount) values ($1, $2, $3)", id, c.orderID,
		decimal.RequireFromString(c.amount))
	batch.Queue("insert into written (made, limited) values ($1, $2)", id, 1)
	batch.Queue("commit")
	return conn.SendBatch(ctx, &batch).Close()
}

// Creations of one pipeline are recorded as one round trip each, and replayed
// with ids, order ids and amounts of their own. What a constraint refuses is
// not done, and leaves the connection as it was.
func TestReplayOfAPipeline(t *testing.T) {
	t.Parallel()
	ctx, d := t.Context(), dbtest.Empty(t)
	d.Exec(t, `create table made (id bigint primary key, order_id text unique, amount numeric(14, 2));
create table written (made bigint references made, limited integer)`)
	heard := new(tap)
	b := &bench{ends: new(ends), place: place{url: d.URL, scene: scene{next: new(atomic.Int64)}}}
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
	replay := testenv.Must(b.replayer(ctx))(t)
	t.Cleanup(func() {
		for _, end := range *b.ends {
			end()
		}
	})
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

func wantRows(t *testing.T, pool db.Pool, want int) {
	t.Helper()
	var made, written, orders int
	const count = "select count(*), (select count(*) from written join made on made = id), count(distinct order_id) from made"
	noError(t, pool.QueryRow(t.Context(), count).Scan(&made, &written, &orders))
	testenv.Check(t, made == want && written == want && orders == want,
		"%d made, %d written, %d orders, want %d of each", made, written, orders, want)
}

var noError = testenv.NoError

// A batch from BEGIN to COMMIT is one round trip, and so is each statement by
// itself. What comes after an error was not carried out.
func TestTap(t *testing.T) {
	t.Parallel()
	ctx, heard := t.Context(), new(tap)
	conn := tapped(t, dbtest.Empty(t).URL, heard)
	batch := func(sql string) error {
		var b pgx.Batch
		b.Queue("begin")
		b.Queue(sql, 1)
		b.Queue("commit")
		return conn.SendBatch(ctx, &b).Close()
	}
	wantTrips := func(want ...int) []trip {
		t.Helper()
		trips := heard.told()
		if len(trips) != len(want) {
			t.Fatalf("%d round trips, want %d", len(trips), len(want))
		}
		for i, made := range trips {
			testenv.Want(t, made.completed(), want[i], "statements in trip %d", i)
		}
		return trips
	}

	noError(t, batch("select $1::int"))
	made := wantTrips(3)[0]
	testenv.Check(t, made[1].sql == "select $1::int" && made[1].args[0] == 1 && made[1].tag == "SELECT 1",
		"the second statement is %+v", made[1])
	testenv.Check(t, batch("select 1 / ($1::int - 1)") != nil, "a division by zero is no error")
	testenv.Must(conn.Exec(ctx, "rollback"))(t)
	wantTrips(1, 1)

	tx := testenv.Must(conn.Begin(ctx))(t)
	text := "a"
	testenv.Must(tx.Exec(ctx, "select $1::text, $2::text", &text, (*string)(nil)))(t)
	noError(t, tx.Commit(ctx))
	args := wantTrips(1, 1, 1)[1][0].args
	testenv.Check(t, args[0] == "a" && args[1] == nil, "the arguments are %v", args)
}
