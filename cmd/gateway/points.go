//go:build points

package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"

	"gateway.example/internal/db"
	"gateway.example/internal/outbound"
)

// With the tag points the program notes each moment before and after a commit
// or a call outward, and kills itself at the one that it finds in a file. Tests
// build it so; the program that is released has none of this.
func init() {
	dir := os.Getenv("POINTS_OF_TEST")
	if dir == "" {
		return
	}
	p := &points{dir: dir, noted: map[string]bool{}}
	db.Traced = func(t pgx.QueryTracer) pgx.QueryTracer { return multitracer.New(t, p) }
	outbound.Watched = func(t http.RoundTripper) http.RoundTripper { return watched{t, p} }
}

type points struct {
	dir   string
	mu    sync.Mutex
	noted map[string]bool
}

// at is called at a moment of a place. Each is written to the file "passed"
// once; without that file they are written anew. At the one that the file
// "kill" names, the program kills itself, once.
func (p *points) at(moment, place string) {
	name := moment + " " + place
	p.mu.Lock()
	defer p.mu.Unlock()
	list := filepath.Join(p.dir, "passed")
	if _, err := os.Stat(list); err != nil {
		clear(p.noted)
	}
	if !p.noted[name] {
		p.noted[name] = true
		if f, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = f.WriteString(name + "\n")
			_ = f.Close()
		}
	}
	order := filepath.Join(p.dir, "kill")
	if named, _ := os.ReadFile(order); string(named) == name {
		_ = os.Remove(order)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing more is done
	}
}

const (
	house = "gateway.example/"
	// deep is how many frames of a stack are looked at.
	deep = 64
)

// committer is who commits or calls: the functions of the first package of the
// house above the packages through which all do.
func committer() string {
	callers := make([]uintptr, deep)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	var chain []string
	in := ""
	for {
		frame, more := frames.Next()
		name, ours := strings.CutPrefix(frame.Function, house)
		at, function := cutPackage(name)
		switch {
		case ours && (at == "internal/db" || at == "internal/outbound" || at == "main"): // all go through these
		case ours && (in == "" || in == at):
			if in = at; !slices.Contains(chain, function) {
				chain = append(chain, function)
			}
		case in != "":
			return in + "." + strings.Join(chain, " < ")
		}
		if !more {
			return in + "." + strings.Join(chain, " < ")
		}
	}
}

var closure = regexp.MustCompile(`(\.InTx|\.InTxWithin|\.Write)?(\.func\d+|\.\d+|\[\.\.\.\]|\.gowrap\d+|-range\d+)+`)

// cutPackage cuts a function's name into its package and itself, without the
// number of a closure and what was inlined around it.
func cutPackage(name string) (in, function string) {
	slash := strings.LastIndex(name, "/") + 1
	in, function, _ = strings.Cut(name[slash:], ".")
	return name[:slash] + in, closure.ReplaceAllString(function, "")
}

type placeKey struct{}

// begins notes who commits, where a statement does, for its end.
func (p *points) begins(ctx context.Context, commits bool) context.Context {
	if !commits {
		return context.WithValue(ctx, placeKey{}, "")
	}
	where := committer()
	p.at("before commit", where)
	return context.WithValue(ctx, placeKey{}, where)
}

func (p *points) ends(ctx context.Context, err error) {
	if where, _ := ctx.Value(placeKey{}).(string); where != "" && err == nil {
		p.at("after commit", where)
	}
}

var writes = regexp.MustCompile(`(?i)\b(insert into|update|delete from)\b`)

// TraceQueryStart implements pgx.QueryTracer. A statement that writes outside
// of a transaction commits by itself.
func (p *points) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return p.begins(ctx, data.SQL == "commit" || conn.PgConn().TxStatus() == 'I' && writes.MatchString(data.SQL))
}

func (p *points) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	p.ends(ctx, data.Err)
}

func (p *points) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	return p.begins(ctx, slices.ContainsFunc(data.Batch.QueuedQueries, func(q *pgx.QueuedQuery) bool { return q.SQL == "commit" }))
}

// TraceBatchQuery implements pgx.BatchTracer and has nothing to do.
func (*points) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (p *points) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	p.ends(ctx, data.Err)
}

// watched is a transport whose calls are points.
type watched struct {
	http.RoundTripper
	points *points
}

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	where := committer()
	w.points.at("before call", where)
	response, err := w.RoundTripper.RoundTrip(r)
	w.points.at("after call", where)
	return response, err
}
