package db_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

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
	testenv.NoError(t, other.Rollback(t.Context()))
	testenv.NoError(t, list())
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

// What is written as an amount or a uuid is what PostgreSQL reads, with all digits, in arrays too.
func TestAmountsAreWrittenWhole(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	d := dbtest.Empty(t)
	for _, text := range []string{
		"0", "0.00", "1", "-1", "10000", "9999", "100000000", "0.00000001", "-0.00000001", "1500.00", "92.5", "123456789012345",
		"-999999999999.99", "1234567.12345678", "12345678901234567890.12345678", "0.0000000000000001", "99999999999999999999999999",
	} {
		want := decimal.RequireFromString(text)
		var got, zeros string
		var list []decimal.Decimal
		var null *string
		testenv.NoError(t, d.Pool.QueryRow(t.Context(), "select $1::numeric::text, $2::numeric::text, $3::numeric[], $4::numeric::text",
			want, decimal.NewNullDecimal(want), []decimal.Decimal{want, want}, decimal.NullDecimal{}).Scan(&got, &zeros, &list, &null))
		testenv.Check(t, got == text && zeros == text && list[1].Equal(want) && null == nil, "%s: %s, %s, %v, %v", text, got, zeros, list, null)
	}
	for exponent := range int32(30) {
		want := decimal.New(1234567890123, exponent-20)
		var got decimal.Decimal
		testenv.NoError(t, d.Pool.QueryRow(t.Context(), "select $1::numeric", want).Scan(&got))
		testenv.Check(t, got.Equal(want), "%s: %s", want, got)
	}
	id := uuid.New()
	var text string
	testenv.NoError(t, d.Pool.QueryRow(t.Context(), "select ($1::uuid)::text || ($2::uuid[])[2]::text", id, []uuid.UUID{uuid.Nil, id}).Scan(&text))
	testenv.Want(t, text, id.String()+id.String(), "uuid")
}
