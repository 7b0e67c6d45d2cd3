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

	"gateway.example/internal/testenv"
)

const (
	// modelStepsEnv is how many steps are walked in all. CI walks 20,000.
	modelStepsEnv = "GATEWAY_MODEL_STEPS"
	// modelSeedEnv repeats the one walk of a seed; without it every run walks new ways.
	modelSeedEnv = "GATEWAY_MODEL_SEED"
	// modelReplayEnv plays a given list of steps, as a failure prints it.
	modelReplayEnv = "GATEWAY_MODEL_REPLAY"

	modelStepsDefault = 2_000
	// modelWalks is how many walks there are at least; none is much longer than modelWalkSteps,
	// since the audits and the tables they read grow with it.
	modelWalks      = 4
	modelWalkSteps  = 5_000
	modelAuditEvery = 200
	modelAuditOften = 10
	modelAuditNever = 0
	modelShrinkTime = time.Minute
	// modelVaried is how many steps surely see everything that can happen: what is rarest comes about ten times in them.
	modelVaried = 50_000
)

// TestModel walks at random through a gateway's life and wants every answer, every balance and every webhook to be what
// a model written from the contract says. A failing walk is shrunk to the steps that matter.
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
		t.Logf("seed %d: %s", seed, w.summary())
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
	// A failure of a step needs no audit to be seen again; one that only the audit saw is looked for more often.
	every := modelAuditNever
	if at, _, _ := playModel(t, steps, every); at < 0 {
		every = modelAuditOften
	}
	// What is told is the last failure seen: steps that race may pass the next time.
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
	// What failed stands last, where an output that was cut short still shows it.
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

func (w *modelWalk) summary() string {
	var counts []string
	for _, outcome := range slices.Sorted(maps.Keys(w.outcomes)) {
		counts = append(counts, fmt.Sprintf("%s %d", outcome, w.outcomes[outcome]))
	}
	return strings.Join(counts, ", ")
}

// wantVariety fails long walks that have not been everywhere: what never happens is not tested.
func wantVariety(t *testing.T, walks []*modelWalk, steps int) {
	t.Helper()
	if t.Failed() || steps < modelVaried {
		return
	}
	for _, outcome := range modelOutcomes() {
		count := 0
		for _, w := range walks {
			count += w.outcomes[outcome]
		}
		testenv.Check(t, count != 0, "%d steps without a single %q", steps, outcome)
	}
}

// TestModelShrinks shows that of a failing list only the steps remain that make it fail.
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

// modelOutcomes are what a long walk must have seen: every move of a status, every refusal, every injury.
func modelOutcomes() []string {
	outcomes := strings.FieldsFunc(happenings, func(r rune) bool { return r == ',' || r == '\n' })
	for i := range outcomes {
		outcomes[i] = strings.TrimSpace(outcomes[i])
	}
	for _, from := range modelStatuses {
		for _, to := range modelStatuses {
			outcomes = append(outcomes, from+"-"+to)
		}
	}
	// A bank, a card and a code against each that may end the payment at the same moment.
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

// happenings are of payments; of cards, and what an acquirer says against what others say; of payouts, between whose
// statuses there are these moves and no other; of cashboxes; and of appeals: every payment has a trader here, so that
// appeal_trader_required cannot come.
const happenings = `
	created, replayed, rushed, create collect_requisites_not_available, create merchant_collect_disabled,
	create merchant_collect_method_disabled, create merchant_collect_amount_outside_platform_limits, payment_not_pending,
	received near, received as it came, received another amount, case take, case wait, case return,
	case take payment_no_case, case wait payment_no_case, case return payment_no_case, case return validation_failed,
	case wait validation_failed, return processing-completed, return processing-failed, return completed-failed,
	message confirmed, message again, message lost, message noted off, message stopped, message vouched for, messages resumed,
	message waiting none, message waiting several, message waiting time, message waiting twin, message waiting gap,
	message waiting first, message waiting stopped, message waiting unset, aborted message, lost message,
	money kept, money attached, attach arrival_taken, attach payment_not_pending,
	give-back payin_is_return, receive validation_failed, receive payment_not_pending, receive not_found, late,
	claimed, claimed again, claim payment_not_pending, claim not_found, not_found, trader completed, trader cancelled,
	expired, settled, expired cut short, delivered, restart, spent, overspent
	card entered, card entered twice, card checkout_closed, card checkout_wrong_step, cut short enter, code given,
	code rejected, code lost, code not needed, code checkout_closed, code checkout_wrong_step, code validation_failed,
	cut short code, payer cancelled, payer-cancel checkout_closed, looked, line cut, request-code,
	request-code checkout_wrong_step, request-code not_found, request-code payment_not_pending, no-code,
	no-code checkout_wrong_step, no-code not_found, no-code payment_not_pending, resent by merchant,
	resend code_resend_wrong_step, resend code_resend_too_early, resend code_resend_exhausted,
	resend cashbox_access_denied, resent by trader, trader-resend code_resend_wrong_step,
	trader-resend code_resend_too_early, trader-resend code_resend_exhausted, trader-resend not_found,
	trader-resend payment_not_pending, resent by payer, bank declined before payer, bank declined before trader's no,
	bank declined before trader's yes, payer-resend checkout_closed, payer-resend code_resend_wrong_step,
	payer-resend code_resend_too_early, payer-resend code_resend_exhausted, card declined, desk checkout_wrong_step,
	desk code_resend_wrong_step, desk payment_not_pending, attempt charged, attempt declined, attempt voided,
	attempt lost, attempt conflict, bank approves, bank approves for good, bank asks for a code, bank declines,
	bank undoes, bank pending-completed, bank pending-failed card_declined, bank pending-failed card_expired,
	bank pending-failed insufficient_funds, bank pending-failed code_rejected, card late, answer late,
	bank against application, bank against clock won, bank against clock lost
	payout created, payout replayed, payout rushed, payout rushed for money, payout overdue, payout waiting-processing,
	payout waiting-cancelled, payout expired, payout expired cut short, payout processing-completed,
	payout processing-failed, payout taken by two, payout duel, payout validation_failed,
	payout insufficient_cashbox_balance, take not_found, take payin_not_waiting, finish not_found,
	finish payin_not_processing, withdraw cashbox_access_denied, withdraw payin_not_waiting,
	resolve payin_not_processing, payout processing-waiting, payout completed-failed, take payin_take_limit,
	give-back not_found, give-back payin_not_processing, reverse payin_not_completed
	deposit created, deposit replayed, deposit validation_failed, deposit cashbox_access_denied, deposit not_found,
	deposit-again idempotency_key_conflict, deposit confirmed, deposit confirmed by three, deposit rejected,
	confirm-deposit deposit_not_pending, reject-deposit deposit_not_pending, insured, insurance lowered,
	insure insufficient_cashbox_balance
	sent in, network forked, watched, deposit confirmed by chain, leave created, leave replayed, leave rushed,
	leave withdrawal_daily_limit, leave insufficient_cashbox_balance, leave insufficient_trader_balance,
	leave requested-approved, leave requested-rejected, leave approved-rejected, leave requested-cancelled,
	leave approved-handed_over, leave handed_over-failed, leave handed_over-completed, leave stopped, leave duel,
	leave-approve withdrawal_not_requested, leave-reject withdrawal_not_open, leave-cancel withdrawal_not_requested,
	leave-fail withdrawal_not_handed_over, leave-fail withdrawal_hash_changed, leave-fail withdrawal_paid,
	hand-over withdrawal_nothing_approved, handed over, handed over again, sign withdrawal_not_handed_over, signed,
	appeal opened, appeal rushed, appeal appeal_already_exists, appeal appeal_payment_not_failed,
	appeal appeal_window_closed, appeal cashbox_access_denied, operator appeal, operator completed, operator failed,
	review appeal_not_open, decide appeal_not_in_review, appeal decided both ways, appeal followed the application
`

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
