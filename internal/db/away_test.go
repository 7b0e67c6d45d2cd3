package db_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// fill opens all of a pool's connections, puts them back and tells their server
// processes.
func fill(t *testing.T, pool db.Pool) []uint32 {
	t.Helper()
	conns := make([]*pgxpool.Conn, pool.Config().MaxConns)
	testenv.NoError(t, testenv.AtOnce(len(conns), func(i int) (err error) {
		conns[i], err = db.Driver(pool).Acquire(t.Context())
		return err
	})...)
	var pids []uint32
	for _, conn := range conns {
		pids = append(pids, conn.Conn().PgConn().PID())
		conn.Release()
	}
	return pids
}

// Connections that were ended while nobody used them are replaced before
// anything is sent on them.
func TestDeadConnectionsAreReplaced(t *testing.T) {
	d := setup(t)
	pool, beside := d.Open(t, 8, db.ForCommands), d.Open(t, 1, db.ForCommands)
	endAll := func() {
		for _, pid := range fill(t, pool) {
			terminate(t, beside, pid)
		}
	}
	endAll()
	for range 50 {
		testenv.Must(pool.Exec(t.Context(), "select 1"))(t)
	}
	endAll()
	err := db.InTx(t.Context(), pool, func(_ pgx.Tx, q *db.Queries) error { return insert(t.Context(), q) })
	testenv.Check(t, err == nil && merchants(t, d) == 1, "a transaction: %v, %d merchants", err, merchants(t, d))
}

// breaking begins no transaction for the first so many times.
type breaking struct {
	db.Beginner
	times int
	with  error
}

func (b *breaking) Begin(ctx context.Context) (pgx.Tx, error) {
	if b.times--; b.times >= 0 {
		return nil, b.with
	}
	return b.Beginner.Begin(ctx)
}

// A connection that breaks during BEGIN costs nothing; that no connection can
// be had, or two in a row break, is said.
func TestBeginIsRepeatedOnce(t *testing.T) {
	d := setup(t)
	for times, want := range []*fault.Error{nil, nil, db.ErrUnavailable} {
		b := &breaking{d.Pool, times, io.ErrUnexpectedEOF}
		err := db.InTx(t.Context(), b, func(pgx.Tx, *db.Queries) error { return nil })
		testenv.Want(t, edge.Fault(err), want, "broken %d times: %v", times, err)
	}
	testenv.Want(t, d.Pool.Stat().AcquiredConns(), 0, "connections are kept")
}

// Whatever way the database is away, callers are told to come back. What is
// wrong with a statement is no such thing. Nothing is unknown about a
// connection that is lost before COMMIT; one that is lost there may have
// committed, and repeating could book twice, so that InTx does not.
func TestAwayIsUnavailable(t *testing.T) {
	d := setup(t)
	ctx := t.Context()
	_, refused := db.Open(ctx, "postgres://gateway@127.0.0.1:1/none", 1, db.ForCommands)

	beside, other := d.Open(t, 1, db.ForCommands), d.Open(t, 1, db.ForCommands)
	conn := testenv.Must(db.Driver(other).Acquire(ctx))(t)
	terminate(t, beside, conn.Conn().PgConn().PID())
	_, terminated := conn.Exec(ctx, "select 1")
	conn.Release()
	_, amid := other.Exec(ctx, "select pg_terminate_backend(pg_backend_pid())")
	inTx := db.InTx(ctx, other, func(tx pgx.Tx, q *db.Queries) error {
		terminate(t, beside, tx.Conn().PgConn().PID())
		return insert(ctx, q)
	})
	testenv.Want(t, merchants(t, d), 0, "merchants of a connection that was lost before COMMIT")
	runs := 0
	atCommit := db.InTx(ctx, other, func(tx pgx.Tx, q *db.Queries) error {
		runs++
		defer terminate(t, beside, tx.Conn().PgConn().PID())
		return insert(ctx, q)
	})
	testenv.Want(t, runs, 1, "runs of what was lost at COMMIT")
	// The pool has thrown the dead connection away.
	testenv.NoError(t, db.InTx(ctx, other, func(_ pgx.Tx, q *db.Queries) error { return insert(ctx, q) }))
	testenv.Want(t, merchants(t, d), 1, "merchants")

	limited := dbtest.New(t)
	limited.Pool.Reset()
	d.Exec(t, "alter database "+limited.Pool.Config().ConnConfig.Database+" connection limit 0")
	// The limit does not hold for superusers.
	d.Exec(t, "do $$ begin create role limited login; exception when duplicate_object then end $$")
	config := testenv.Must(pgx.ParseConfig(limited.URL))(t)
	config.User = "limited"
	_, tooMany := pgx.ConnectConfig(ctx, config)

	_, mistake := d.Pool.Exec(ctx, "select 1/0")
	_, unknown := d.Pool.Exec(ctx, "select no_such_column")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, cancelled := d.Pool.Exec(gone, "select 1")
	for name, test := range map[string]struct {
		err  error
		want *fault.Error
	}{
		"connection refused": {refused, db.ErrUnavailable}, "terminated": {terminated, db.ErrUnavailable},
		"amid a statement": {amid, db.ErrUnavailable}, "in a transaction": {inTx, db.ErrUnavailable}, "at COMMIT": {atCommit, fault.ErrOutcomeUnknown},
		"too many connections": {tooMany, db.ErrUnavailable},
		"a mistake":            {mistake, nil}, "an unknown column": {unknown, nil}, "given up": {cancelled, nil},
		"busy": {errors.Join(fault.ErrBusy, io.EOF), fault.ErrBusy},
	} {
		testenv.Check(t, test.err != nil && edge.Fault(test.err) == test.want,
			"%s: %v, a fault %v", name, test.err, edge.Fault(test.err))
	}
}
