package dbtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
)

func init() {
	db.Traced = func(t pgx.QueryTracer) pgx.QueryTracer { return multitracer.New(t, new(watch)) }
}

// watch ends the tests when a goroutine takes a second connection of a pool. As
// many goroutines as the pool has connections, each with one already, would
// wait for one another for ever.
type watch struct {
	// holders are goroutines, by the connection each has.
	holders sync.Map
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (w *watch) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	me := goroutine()
	w.holders.Range(func(_, holder any) bool {
		if holder == me {
			fmt.Fprintf(os.Stderr, "a goroutine takes a second connection of a pool while it has one:\n%s", debug.Stack())
			End()
			os.Exit(1)
		}
		return true
	})
	return ctx
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (w *watch) TraceAcquireEnd(_ context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	if data.Err == nil {
		w.holders.Store(data.Conn, goroutine())
	}
}

// TraceRelease implements pgxpool.ReleaseTracer.
func (w *watch) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	w.holders.Delete(data.Conn)
}

// TraceQueryStart implements pgx.QueryTracer, which a tracer has to be, and has
// nothing to do.
func (*watch) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer, too.
func (*watch) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// goroutine is the name of the one that calls, such as "goroutine 7".
func goroutine() string {
	begin := make([]byte, 32)
	name, _, _ := bytes.Cut(begin[:runtime.Stack(begin, false)], []byte(" ["))
	return string(name)
}
