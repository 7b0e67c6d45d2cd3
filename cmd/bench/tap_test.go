package main

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// A batch from BEGIN to COMMIT is one round trip, and so is each statement by itself. What comes
// after an error was not carried out.
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
