package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
)

// A list that takes too long is given up, and its connection is as good as before.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	list := func() error {
		_, err := db.List(t.Context(), d.Pool, func(q *db.Queries) ([]db.RateLimit, error) {
			_, err := q.RateLimitList(t.Context())
			return nil, err
		})
		return err
	}
	other, err := pgx.Connect(t.Context(), d.URL)
	check(t, err)
	defer func() { _ = other.Close(context.Background()) }()
	_, err = other.Exec(t.Context(), "begin; lock table rate_limit")
	check(t, err)
	began := time.Now()
	if err := list(); !errors.Is(err, fault.ErrBusy) || time.Since(began) < 1900*time.Millisecond {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	_, err = other.Exec(t.Context(), "rollback")
	check(t, err)
	check(t, list())
	_, err = db.List(
		t.Context(),
		d.Pool,
		func(q *db.Queries) ([]int, error) { return nil, q.RateLimitScale(t.Context(), 2) },
	)
	if err == nil || errors.Is(err, fault.ErrBusy) {
		t.Errorf("a list wrote: %v", err)
	}
	var timeout string
	check(t, d.Pool.QueryRow(t.Context(), "show statement_timeout").Scan(&timeout))
	if timeout != "0" {
		t.Errorf("afterwards the timeout is %s", timeout)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
