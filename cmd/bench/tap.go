package main

import (
	"context"
	"reflect"
	"sync"

	"github.com/jackc/pgx/v5"
)

// call is a statement as it was sent, and how it ended. One that failed, or came after one that did,
// has no tag.
type call struct {
	sql  string
	args []any
	tag  string
}

// trip is what the driver sends before it waits for the server: a statement, or a batch of them,
// also one that begins with BEGIN and ends with COMMIT. Preparing statements, which is done once on
// a connection, is none.
type trip []*call

// completed is how many of its statements were carried out.
func (t trip) completed() (n int) {
	for _, c := range t {
		if c.tag != "" {
			n++
		}
	}
	return n
}

// tap is a tracer of connections. It keeps the trips that they make.
type tap struct {
	mu    sync.Mutex
	trips []trip
}

var (
	_ pgx.QueryTracer = (*tap)(nil)
	_ pgx.BatchTracer = (*tap)(nil)
)

// told is what was kept since the last time.
func (t *tap) told() []trip {
	t.mu.Lock()
	defer t.mu.Unlock()
	trips := t.trips
	t.trips = nil
	return trips
}

// openCalls is the context's key of the calls of a trip that are still to be answered.
type openCalls struct{}

// keep keeps a trip, and has what ends it find it in the context.
func (t *tap) keep(ctx context.Context, made trip) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trips = append(t.trips, made)
	return context.WithValue(ctx, openCalls{}, &made)
}

// answered notes how the next call of the context's trip ended.
func (t *tap) answered(ctx context.Context, tag string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	open, _ := ctx.Value(openCalls{}).(*trip)
	if open == nil || len(*open) == 0 {
		return
	}
	if err == nil {
		(*open)[0].tag = tag
	}
	*open = (*open)[1:]
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tap) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return t.keep(ctx, trip{newCall(data.SQL, data.Args)})
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tap) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.answered(ctx, data.CommandTag.String(), data.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tap) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	var made trip
	for _, queued := range data.Batch.QueuedQueries {
		made = append(made, newCall(queued.SQL, queued.Arguments))
	}
	return t.keep(ctx, made)
}

// TraceBatchQuery implements pgx.BatchTracer.
func (t *tap) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	t.answered(ctx, data.CommandTag.String(), data.Err)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (*tap) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// newCall takes arguments out of their pointers, so that what is alike in several calls is seen.
func newCall(sql string, args []any) *call {
	c := &call{sql: sql}
	for _, arg := range args {
		if v := reflect.ValueOf(arg); v.Kind() == reflect.Pointer {
			arg = nil
			if !v.IsNil() {
				arg = v.Elem().Interface()
			}
		}
		c.args = append(c.args, arg)
	}
	return c
}
