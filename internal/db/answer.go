package db

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// answerGrace is how much longer a statement's answer is awaited than
	// the server lets it run.
	answerGrace = time.Second
	// A connection that was idle for idleTrusted is tested before use, and
	// has pingLimit to answer. So has a cancellation, for which the pool is
	// one connection short.
	idleTrusted = time.Second
	pingLimit   = 3 * time.Second
	// closeGrace is how long the server may take to end a connection whose
	// statement was given up.
	closeGrace = time.Second
)

// Group is the pools of one process. The zero value is ready to use.
type Group struct {
	mu    sync.Mutex
	pools []interface{ Reset() }
	// waiting are the connections that wait for an answer, and since when.
	waiting map[*pgx.Conn]time.Time
	// timeline is the highest timeline of a primary to which a connection
	// was made.
	timeline int64
}

func (g *Group) wait(conn *pgx.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting == nil {
		g.waiting = map[*pgx.Conn]time.Time{}
	}
	g.waiting[conn] = time.Now()
}

func (g *Group) answered(conn *pgx.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, conn)
}

// isDead tests a connection that was idle.
func (g *Group) isDead(ctx context.Context, idle pgxpool.ShouldPingParams) bool {
	return idle.IdleDuration > idleTrusted && g.ask(ctx, idle.Conn) != nil
}

// Beat tests the connection of a pool. Called every second on a pool of one
// connection that nothing else uses, it bounds how long a dead server goes
// unnoticed: all other connections may be waiting for answers.
func (g *Group) Beat(ctx context.Context, pool Pool) error {
	return Driver(pool).AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return g.ask(ctx, conn.Conn()) })
}

// ask tests an unused connection. If it does not answer within pingLimit, all
// pools reconnect.
func (g *Group) ask(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingLimit)
	defer cancel()
	err := conn.Ping(ctx)
	if err != nil && ctx.Err() != nil {
		slog.WarnContext(ctx, "a connection to the database has gone silent: all are opened anew")
		g.reset()
	}
	return err
}

// closeSoon closes a connection that the driver has given up. The driver would
// wait up to 15 seconds for the server's side, and the pool would be one
// connection short for that time.
func closeSoon(conn *pgx.Conn) {
	if conn.IsClosed() {
		time.AfterFunc(closeGrace, func() { _ = conn.PgConn().Conn().Close() })
	}
}

// reset makes all pools open new connections. Connections in use are closed
// when they are returned; those that have waited for an answer since before now
// are closed after pingLimit, because background work would wait for minutes. A
// statement that was merely slow is made again by its caller.
func (g *Group) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, pool := range g.pools {
		pool.Reset()
	}
	before := maps.Clone(g.waiting)
	time.AfterFunc(pingLimit, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		for conn, since := range before {
			if g.waiting[conn].Equal(since) {
				_ = conn.PgConn().Conn().Close()
			}
		}
	})
}

// answers limits how long every statement of a pool may wait for its answer.
// The server limits the time of a statement, but if its machine or the network
// vanishes no answer ever comes, and the connection looks open. A statement may
// also be slow because the database is slow or a standby is away; Beat finds
// out whether no connection gets answers.
type answers struct {
	group *Group
	limit time.Duration
}

// cancelKey is the context key of the function that frees a statement's timer.
type cancelKey struct{}

// Unhurried is the time limit for statements that write a piece of a file. The
// transaction sets the server's limit to match.
const Unhurried = 30 * time.Second

// unhurriedKey is the context key of that longer limit.
type unhurriedKey struct{}

// WithTime gives the statements of a context Unhurried to answer.
func WithTime(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

// begin notes that the connection waits for an answer. If the pool has a limit,
// it limits how long: to that, or with WithTime to Unhurried and a second's
// grace. It must be followed by end with the context that it returns, which
// frees the timer.
func (a answers) begin(ctx context.Context, conn *pgx.Conn) context.Context {
	a.group.wait(conn)
	if a.limit == 0 {
		return ctx
	}
	limit := a.limit
	if ctx.Value(unhurriedKey{}) != nil {
		limit = Unhurried + answerGrace
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	return context.WithValue(ctx, cancelKey{}, cancel)
}

func (a answers) end(ctx context.Context, conn *pgx.Conn) {
	a.group.answered(conn)
	if cancel, ok := ctx.Value(cancelKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// TraceQueryStart implements pgx.QueryTracer. The statement uses the context
// that it returns.
func (a answers) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return a.begin(ctx, conn)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (a answers) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryEndData) {
	a.end(ctx, conn)
}

// TraceBatchStart implements pgx.BatchTracer: a batch has as long as a
// statement.
func (a answers) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return a.begin(ctx, conn)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (a answers) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (a answers) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchEndData) {
	a.end(ctx, conn)
}
