package db_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// A list that takes too long is given up, and its connection is as good as before.
func TestListIsBounded(t *testing.T) {
	d := setup(t)
	list := func() error {
		_, err := db.List(t.Context(), d.Pool, func(q *db.Queries) ([]db.RateLimit, error) {
			_, err := q.RateLimitList(t.Context())
			return nil, err
		})
		return err
	}
	other := d.Beside(t)
	testenv.Must(other.Exec(t.Context(), "lock table rate_limit"))(t)
	began := time.Now()
	testenv.WantError(t, list(), fault.ErrBusy, "a list of a locked table")
	testenv.Check(t, time.Since(began) >= 1900*time.Millisecond, "it was given up after %s", time.Since(began))
	noError(t, other.Rollback(t.Context()))
	noError(t, list())
	_, err := db.List(t.Context(), d.Pool,
		func(q *db.Queries) ([]int, error) { return nil, q.RateLimitScale(t.Context(), 2) })
	testenv.Check(t, err != nil && !errors.Is(err, fault.ErrBusy), "a list wrote: %v", err)
	timeout := d.Text(t, "show statement_timeout")
	testenv.Want(t, timeout, "0", "afterwards the timeout is")
}

// Somebody else's snapshot is seen by who may see it. Others are told that nobody knows, and not that all is well.
func TestOldestSnapshot(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := dbtest.New(t)
	role := "blind_" + strings.ToLower(rand.Text())
	d.Exec(t, "create role "+role)
	t.Cleanup(func() {
		d.Exec(t, "drop role "+role)
	})
	other := d.Beside(t)
	for _, sql := range []string{"set transaction isolation level repeatable read", "select from merchant"} {
		testenv.Must(other.Exec(ctx, sql))(t)
	}
	time.Sleep(1100 * time.Millisecond)
	config := d.Pool.Config()
	config.ConnConfig.RuntimeParams["role"] = role
	blind := testenv.Must(pgxpool.NewWithConfig(ctx, config))(t)
	defer blind.Close()
	seconds, err := db.OldestSnapshot(ctx, blind)
	testenv.Check(t, err == nil && seconds == -1, "who may not see it: %d %v", seconds, err)
	seconds, err = db.OldestSnapshot(ctx, d.Pool)
	testenv.Check(t, err == nil && seconds >= 1, "who may see it: %d %v", seconds, err)
	d.Exec(t, "grant pg_read_all_stats to "+role)
	seconds, err = db.OldestSnapshot(ctx, blind)
	testenv.Check(t, err == nil && seconds >= 1, "who has been granted to see it: %d %v", seconds, err)
}
