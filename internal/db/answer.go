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
	// answerGrace is how much longer a statement is waited for than the server lets it run.
	answerGrace = time.Second
	// A connection that nobody has used for idleTrusted is asked first whether it still works, and has
	// pingLimit to answer.
	idleTrusted = time.Second
	pingLimit   = 3 * time.Second
	// closeGrace is how long the server may take over the end of a connection on which a statement was
	// given up.
	closeGrace = time.Second
)

// Group is the pools of one process. The zero value is ready to use.
type Group struct {
	mu    sync.Mutex
	pools []*pgxpool.Pool
	// waiting are the connections on which a statement is waited for, and since when.
	waiting map[*pgx.Conn]time.Time
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

// isDead asks a connection that was idle whether it still works.
func (g *Group) isDead(ctx context.Context, idle pgxpool.ShouldPingParams) bool {
	return idle.IdleDuration > idleTrusted && g.ask(ctx, idle.Conn) != nil
}

// Beat asks the connection of a pool whether it still works. Every second, on a pool of one connection that nothing
// else uses, it bounds how long silence goes unnoticed: elsewhere all may be waiting for answers.
func (g *Group) Beat(ctx context.Context, pool *pgxpool.Pool) error {
	return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return g.ask(ctx, conn.Conn()) })
}

// ask asks a connection that nobody uses whether it still works. Where it does not answer in time, all are opened anew.
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

// closeSoon closes what the driver has given up. It would wait for 15 seconds until the server has
// closed its side, and the pool would have one place less meanwhile.
func closeSoon(conn *pgx.Conn) {
	if conn.IsClosed() {
		time.AfterFunc(closeGrace, func() { _ = conn.PgConn().Conn().Close() })
	}
}

// reset has all pools open their connections anew. Connections in use are closed when they are given
// back, and those whose statement of now is still not answered after pingLimit at once: background
// work would wait for minutes. A statement that only takes long is made again by whoever made it.
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

// answers has every statement of a pool end within a limit. The server bounds its own time, but when
// its machine or the network in between is gone without a word, no answer ever comes, and the
// connection looks open. Whether that is so for all connections Beat finds out: a statement may also
// take long because the database is slow, or because a standby is away.
type answers struct {
	group *Group
	limit time.Duration
}

// cancelKey is where a statement's context keeps what frees its timer.
type cancelKey struct{}

// Unhurried is how long a statement may take that writes a piece of a file. The transaction says so to the
// server, too.
const Unhurried = 30 * time.Second

// unhurriedKey is where a context keeps that its statements may take so long.
type unhurriedKey struct{}

// WithTime has the statements that go by the context wait for an answer as long as Unhurried.
func WithTime(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

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

// TraceQueryStart implements pgx.QueryTracer. The statement goes by the context it returns.
func (a answers) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return a.begin(ctx, conn)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (a answers) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryEndData) {
	a.end(ctx, conn)
}

// TraceBatchStart implements pgx.BatchTracer: a batch has as long as a statement.
func (a answers) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return a.begin(ctx, conn)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (a answers) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (a answers) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchEndData) {
	a.end(ctx, conn)
}
