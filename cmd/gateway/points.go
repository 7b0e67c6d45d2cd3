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

// With the build tag points the program records each moment before and after a
// commit or an outgoing call, and kills itself at the one that is named in a
// file. Only tests build it so.
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

// at is called before and after each commit and outgoing call. It appends each
// moment to the file "passed" once, which is begun anew if it was removed. At
// the moment that the file "kill" names, it kills the process, once.
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
	// deep limits how many frames of a stack are searched.
	deep = 64
)

// committer names who commits or calls: the functions of the first package of
// this module above the packages through which all such calls go.
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

// begins records who commits, for the end of the statement.
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

// TraceQueryStart implements pgx.QueryTracer. A writing statement outside of a
// transaction is a commit.
func (p *points) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return p.begins(ctx, data.SQL == "commit" || conn.PgConn().TxStatus() == 'I' && writes.MatchString(data.SQL))
}

func (p *points) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	p.ends(ctx, data.Err)
}

func (p *points) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	return p.begins(ctx, slices.ContainsFunc(data.Batch.QueuedQueries, func(q *pgx.QueuedQuery) bool { return q.SQL == "commit" }))
}

// TraceBatchQuery implements pgx.BatchTracer. It does nothing.
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
