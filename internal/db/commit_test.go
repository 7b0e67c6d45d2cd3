package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// What background work commits is not cut short when nobody waits for it any more; what else it asks is, so that a process that
// stops leaves nothing running.
func TestWorkCancelsNoCommit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, "create table probe (committing boolean)")
	for _, committing := range []bool{false, true} {
		pool := must(db.Open(t.Context(), d.URL, 1, db.ForWork))(t)
		t.Cleanup(pool.Close)
		conn := must(pool.Acquire(t.Context()))(t)
		ended := func(error) {}
		if committing {
			ended = db.Commits(conn.Conn())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err := conn.Exec(
			ctx,
			"do $$ begin perform pg_sleep(2); insert into probe values ("+map[bool]string{true: "true", false: "false"}[committing]+"); end $$",
		)
		cancel()
		ended(err)
		conn.Release()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("committing %t: %v", committing, err)
		}
		testenv.Until(t, "the statement has ended", func() bool {
			return d.Count(t, `select count(*) from pg_stat_activity
				where datname = current_database() and state = 'active' and query like 'do $$%'`) == 0
		})
		want := 0
		if committing {
			want = 1
		}
		testenv.Want(t, d.Count(t, "select count(*) from probe where committing = $1", committing), want,
			"rows, committing %t", committing)
	}
}
