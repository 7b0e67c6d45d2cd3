package model_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gateway.example/internal/testenv"
	decimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What can go wrong in the middle of a transaction.
const (
	// injuryHangUp ends the caller's context before a statement.
	injuryHangUp = 1 + iota
	// injuryKill terminates the server's backend before a statement, COMMIT included.
	injuryKill
	// injuryLoseCommit lets COMMIT happen, alone or at the end of a batch, and loses its answer.
	injuryLoseCommit

	injuries = injuryLoseCommit
)

// injury is what is to go wrong in the calls made with its context.
type injury struct {
	kind, at int
	kill     func(pid uint32) error
	// mu guards what follows: a sweep runs several transactions at a time.
	mu     sync.Mutex
	seen   int
	fired  bool
	failed error
}

type injuryKey struct{}

// aborted reports that a transaction was ended before its COMMIT; lost, that only the answer to COMMIT was.
func (i *injury) aborted() bool { return i.fired && i.kind != injuryLoseCommit }
func (i *injury) lost() bool    { return i.fired && i.kind == injuryLoseCommit }

// injurer makes injuries happen, as the tracer of a pool's connections.
type injurer struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (injurer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return injure(ctx, conn, data.SQL, data.SQL == "commit")
}

// TraceBatchStart implements pgx.BatchTracer: a batch goes out as one. One that only folds an account inserts nothing
// but how far, and losing the answer to its COMMIT is not losing the answer to the call's.
func (injurer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	return injure(ctx, conn, "a batch", slices.ContainsFunc(data.Batch.QueuedQueries, func(q *pgx.QueuedQuery) bool {
		return strings.Contains(q.SQL, "insert into") && !strings.Contains(q.SQL, "insert into account_fold")
	}))
}

func injure(ctx context.Context, conn *pgx.Conn, sql string, commits bool) context.Context {
	i, ok := ctx.Value(injuryKey{}).(*injury)
	if !ok || sql == "rollback" {
		return ctx
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fired {
		return ctx
	}
	i.seen++
	switch {
	case i.kind == injuryLoseCommit:
		if commits {
			lose := i.lose
			lossy(conn).lose.Store(&lose)
		}
	case i.kind == injuryKill && strings.HasPrefix(sql, "begin"): // is begun once more, on another connection
	case i.kind == injuryKill && i.seen >= i.at:
		i.fired = true
		i.failed = i.kill(conn.PgConn().PID())
	case i.kind == injuryHangUp && i.seen >= i.at && sql != "commit": // a caller who hangs up cancels no COMMIT
		i.fired = true
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		return cancelled
	}
	return ctx
}

// lose reports, once, that an answer is to be lost.
func (i *injury) lose() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	first := !i.fired
	i.fired = true
	return first
}

// TraceQueryEnd implements pgx.QueryTracer.
func (injurer) TraceQueryEnd(_ context.Context, conn *pgx.Conn, _ pgx.TraceQueryEndData) {
	lossy(conn).lose.Store(nil)
}

// TraceBatchQuery implements pgx.BatchTracer and has nothing to do.
func (injurer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (injurer) TraceBatchEnd(_ context.Context, conn *pgx.Conn, _ pgx.TraceBatchEndData) {
	lossy(conn).lose.Store(nil)
}

// lossyConn is a connection that may break just as the answer to a COMMIT has arrived.
type lossyConn struct {
	net.Conn
	// lose says whether the answer is to be lost; nil loses none. The driver reads on in a goroutine of
	// its own where it closes a broken connection.
	lose atomic.Pointer[func() bool]
}

func lossy(conn *pgx.Conn) *lossyConn { return conn.PgConn().Conn().(*lossyConn) }

// committed is how the server says that it has committed.
var committed = []byte("COMMIT\x00")

func (c *lossyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if lose := c.lose.Load(); lose != nil && err == nil && bytes.Contains(b[:n], committed) && (*lose)() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// openInjurable opens a pool like the gateway's own whose transactions can be injured.
func openInjurable(ctx context.Context, url string, size int) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(size)
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		decimal.Register(conn.TypeMap())
		return nil
	}
	config.ConnConfig.Tracer = injurer{}
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lossyConn{Conn: conn}, nil
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// killBackend ends a backend and waits until it and its locks are gone.
func (w *modelWalk) killBackend(pid uint32) error {
	if _, err := w.check.Exec(w.ctx, "select pg_terminate_backend($1::int)", int32(pid)); err != nil {
		return err
	}
	return testenv.Eventually(func() error {
		var alive bool
		row := w.check.QueryRow(w.ctx, "select exists (select from pg_stat_activity where pid = $1)", int32(pid))
		if err := row.Scan(&alive); err != nil || !alive {
			return err
		}
		return fmt.Errorf("backend %d does not die", pid)
	})
}
