package model_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	decimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

const (
	// modelStepsEnv is how many steps are walked in all. CI walks 20,000.
	modelStepsEnv = "GATEWAY_MODEL_STEPS"
	// modelSeedEnv repeats the one walk of a seed; without it every run
	// walks new ways.
	modelSeedEnv = "GATEWAY_MODEL_SEED"
	// modelReplayEnv plays a given list of steps, as a failure prints it.
	modelReplayEnv = "GATEWAY_MODEL_REPLAY"

	modelStepsDefault = 2_000
	// modelWalks is how many walks there are at least; none is much longer
	// than modelWalkSteps, since the audits and the tables they read grow
	// with it.
	modelWalks      = 4
	modelWalkSteps  = 5_000
	modelAuditEvery = 200
	modelAuditOften = 10
	modelAuditNever = 0
	modelShrinkTime = time.Minute
	// modelVaried is how many steps surely see everything that can happen:
	// what is rarest comes about ten times in them.
	modelVaried = 50_000
)

// TestModel walks at random through a gateway's life and wants every answer,
// every balance and every webhook to be what a model written from the contract
// says. A failing walk is shrunk to the steps that matter.
func TestModel(t *testing.T) {
	t.Parallel()
	steps := modelNumber(t, modelStepsEnv, modelStepsDefault)
	if list := os.Getenv(modelReplayEnv); list != "" {
		parsed := testenv.Must(parseModelSteps(list))(t)
		at, story, err := playModel(t, parsed, modelAuditOften)
		testenv.Need(t, at < 0, "%s\n%v", strings.Join(story, "\n"), err)
		return
	}
	if os.Getenv(modelSeedEnv) != "" {
		walkModel(t, modelNumber(t, modelSeedEnv, 0), int(steps))
		return
	}
	walks := make([]*modelWalk, max(modelWalks, int(steps)/modelWalkSteps))
	t.Cleanup(func() { wantVariety(t, walks, int(steps)) })
	for i := range walks {
		seed := rand.Uint64N(1_000_000_000)
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			walks[i] = walkModel(t, seed, int(steps)/len(walks))
		})
	}
}

func modelNumber(t *testing.T, env string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(env)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 63)
	testenv.Need(t, err == nil, "%s: %v", env, err)
	return n
}

func walkModel(t *testing.T, seed uint64, count int) *modelWalk {
	t.Helper()
	steps := modelSteps(seed, count)
	w := newModelWalk(t)
	at, err := w.play(steps, modelAuditEvery)
	if at < 0 {
		var counts []string
		for _, outcome := range slices.Sorted(maps.Keys(w.outcomes)) {
			counts = append(counts, fmt.Sprintf("%s %d", outcome, w.outcomes[outcome]))
		}
		t.Logf("seed %d: %s", seed, strings.Join(counts, ", "))
		return w
	}
	t.Logf("seed %d fails, shrinking %d steps: %v", seed, at+1, err)
	reportModel(t, seed, count, steps[:at+1], err)
	return w
}

// reportModel shrinks a failing walk and says how to repeat it.
func reportModel(t *testing.T, seed uint64, count int, steps []modelStep, first error) {
	t.Helper()
	end := time.Now().Add(modelShrinkTime)
	// A failure of a step needs no audit to be seen again; one that only
	// the audit saw is looked for more often.
	every := modelAuditNever
	if at, _, _ := playModel(t, steps, every); at < 0 {
		every = modelAuditOften
	}
	// What is told is the last failure seen: steps that race may pass the
	// next time.
	var story []string
	var err error
	fails := func(steps []modelStep) int {
		at, told, failure := playModel(t, steps, every)
		if at >= 0 {
			story, err = told, failure
		}
		return at
	}
	steps = shrinkModelSteps(steps, fails, func() bool { return time.Now().Before(end) })
	if err == nil {
		err = first
	}
	// What failed stands last, where an output that was cut short still
	// shows it.
	t.Fatalf(`What happened in the %d steps that matter:
  %s
Repeat these steps:
  %s='%s' go test -run '^TestModel$' ./internal/model
Repeat the whole walk:
  %s=%d %s=%d go test -run '^TestModel$' ./internal/model
Seed %d: %v
At first: %v`,
		len(steps), strings.Join(story, "\n  "), modelReplayEnv, formatModelSteps(steps),
		modelSeedEnv, seed, modelStepsEnv, count, seed, err, first)
}

// playModel plays steps on a database of their own, which is gone afterwards.
func playModel(t *testing.T, steps []modelStep, auditEvery int) (at int, story []string, err error) {
	t.Helper()
	t.Run("replay", func(t *testing.T) {
		w := newModelWalk(t)
		at, err = w.play(steps, auditEvery)
		story = w.story
	})
	return at, story, err
}

// wantVariety fails long walks that have not been everywhere: what never
// happens is not tested.
func wantVariety(t *testing.T, walks []*modelWalk, steps int) {
	t.Helper()
	if t.Failed() || steps < modelVaried {
		return
	}
	for _, outcome := range modelOutcomes(t) {
		count := 0
		for _, w := range walks {
			count += w.outcomes[outcome]
		}
		testenv.Check(t, count != 0, "%d steps without a single %q", steps, outcome)
	}
}

// TestModelShrinks shows that of a failing list only the steps remain that make
// it fail.
func TestModelShrinks(t *testing.T) {
	t.Parallel()
	steps := modelSteps(1, 300)
	steps[20].op, steps[170].op, steps[290].op = "x", "y", "z"
	fails := func(steps []modelStep) int {
		var seen string
		for i, s := range steps {
			if strings.Contains("xyz", s.op) {
				seen += s.op
			}
			if seen == "xyz" {
				return i
			}
		}
		return -1
	}
	shrunk := shrinkModelSteps(steps[:291], fails, func() bool { return true })
	again, err := parseModelSteps(formatModelSteps(shrunk))
	testenv.Need(t, err == nil && slices.Equal(again, shrunk), "%v, written and read: %v, %v", shrunk, again, err)
	testenv.Need(t, len(shrunk) == 3, "%d steps remain: %v", len(shrunk), shrunk)
}

// modelOutcomes are what a long walk must have seen: every move of a status,
// every refusal, every injury.
func modelOutcomes(t *testing.T) (outcomes []string) {
	t.Helper()
	for _, row := range testenv.Rows(t, "happenings.txt") {
		outcomes = append(outcomes, strings.Split(row[0], ", ")...)
	}
	for _, from := range modelStatuses {
		for _, to := range modelStatuses {
			outcomes = append(outcomes, from+"-"+to)
		}
	}
	// A bank, a card and a code against each that may end the payment at
	// the same moment.
	for _, ender := range []string{"payer", "trader's no", "trader's yes"} {
		outcomes = append(outcomes, "bank against "+ender+" won", "bank against "+ender+" lost", "card against "+ender,
			"code against "+ender)
	}
	// The rarer steps are injured too, but not surely in every walk.
	for op := range strings.FieldsSeq(`create move confirm payout take finish deposit confirm-deposit insure appeal review
		enter code resend watch leave leave-approve hand-over sign`) {
		outcomes = append(outcomes, "aborted "+op, "lost "+op)
	}
	return outcomes
}

// What can go wrong in the middle of a transaction.
const (
	// injuryHangUp ends the caller's context before a statement.
	injuryHangUp = 1 + iota
	// injuryKill terminates the server's backend before a statement, COMMIT
	// included.
	injuryKill
	// injuryLoseCommit lets COMMIT happen, alone or at the end of a batch,
	// and loses its answer.
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

// aborted reports that a transaction was ended before its COMMIT; lost, that
// only the answer to COMMIT was.
func (i *injury) aborted() bool { return i.fired && i.kind != injuryLoseCommit }
func (i *injury) lost() bool    { return i.fired && i.kind == injuryLoseCommit }

// injurer makes injuries happen, as the tracer of a pool's connections.
type injurer struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (injurer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return injure(ctx, conn, data.SQL, data.SQL == "commit")
}

// TraceBatchStart implements pgx.BatchTracer: a batch goes out as one. One that
// only folds an account inserts nothing but how far, and losing the answer to
// its COMMIT is not losing the answer to the call's.
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

// lossyConn is a connection that may break just as the answer to a COMMIT has
// arrived.
type lossyConn struct {
	net.Conn
	// lose says whether the answer is to be lost; nil loses none. The
	// driver reads on in a goroutine of its own where it closes a broken
	// connection.
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

// openInjurable opens a pool like the gateway's own whose transactions can be
// injured.
func openInjurable(ctx context.Context, url string, size int) (db.Pool, error) {
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
