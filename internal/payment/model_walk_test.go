package payment_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/shopspring/decimal"

	"gateway/internal/dbtest"
	"gateway/internal/fault"
	"gateway/internal/payment"
	"gateway/internal/vault"
	"gateway/internal/webhook"
)

// modelWalk plays steps on a gateway and on the model of it, and compares the two after each.
type modelWalk struct {
	ctx     context.Context
	t       testing.TB
	db      *dbtest.DB
	clock   *dbtest.Clock
	service *payment.Service
	// pool is the service's; check is the walk's own connection.
	pool  *pgxpool.Pool
	check *pgx.Conn
	model *gatewayModel
	hooks *modelHooks
	asks  []modelAsk
	// now is the step being played.
	now *modelStep
	// touched are the payments the present step may have changed.
	touched []*modelPayment
	// lastJob is the newest delivery job that was accounted for.
	lastJob int64
	// story tells what happened, outcomes count it.
	story    []string
	outcomes map[string]int
}

func newModelWalk(t testing.TB) *modelWalk {
	t.Helper()
	v, err := vault.New(make([]byte, vault.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	d := dbtest.New(t)
	w := &modelWalk{ctx: t.Context(), t: t, db: d, clock: &dbtest.Clock{}, outcomes: map[string]int{}}
	w.model = newModelWorld(t, d, v)
	w.model.now = w.clock.Now()
	w.hooks = newModelHooks(t, d, v, w.clock)
	if w.check, err = pgx.Connect(w.ctx, d.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.check.Close(context.Background())
		w.pool.Close()
	})
	if err := w.restart(); err != nil {
		t.Fatal(err)
	}
	w.rate("RUB", "100", nil)
	w.rate("MNT", "3400", nil)
	for _, trader := range w.model.traders {
		w.fund(trader, 100_00000000)
	}
	return w
}

// restart is a crash and a new start: pool and service are gone, the database remains.
func (w *modelWalk) restart() error {
	if w.pool != nil {
		w.pool.Close()
	}
	var err error
	if w.pool, err = openInjurable(w.ctx, w.db.URL, dbtest.PoolSize()); err != nil {
		return err
	}
	jobs, err := river.NewClient(riverpgxv5.New(w.pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	w.service, err = payment.New(w.ctx, w.pool, w.clock, webhook.NewOutbox(jobs), webhook.NewAddresses(true),
		payment.Config{Markup: decimal.RequireFromString(modelMarkup), ExternalSecret: true})
	return err
}

// play plays the steps up to the first that fails, and answers its index, or -1. With audits it also delivers whatever is
// left at the end.
func (w *modelWalk) play(steps []modelStep, auditEvery int) (int, error) {
	for i := range steps {
		w.now = &steps[i]
		err := w.step(steps[i])
		if err == nil && auditEvery > 0 && i%auditEvery == auditEvery-1 {
			err = w.audit()
		}
		if err != nil {
			return i, fmt.Errorf("step %d, %s: %w", i+1, steps[i], err)
		}
	}
	if auditEvery == modelAuditNever {
		return -1, nil
	}
	if err := errors.Join(w.drain(), w.audit()); err != nil {
		return len(steps) - 1, fmt.Errorf("after the last step: %w", err)
	}
	return -1, nil
}

func (w *modelWalk) step(s modelStep) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	w.touched = w.touched[:0]
	if err := w.moves()[s.op](s); err != nil {
		return err
	}
	return w.verify()
}

func (w *modelWalk) moves() map[string]func(modelStep) error {
	return map[string]func(modelStep) error{
		"create": w.create, "repeat": w.repeat, "rush": w.rush, "invalid": w.invalid, "forbidden": w.forbidden,
		"move": w.move, "confirm": w.confirm, "cancel": w.cancel, "duel": w.duel,
		"advance": w.advance, "expire": w.expire, "settle": w.settle, "rate": w.changeRate,
		"fund": w.topUp, "spend": w.spend, "fold": w.fold, "prune": w.prune, "switch": w.flip, "limit": w.limit,
		"restart": func(modelStep) error { w.tell("restart"); return w.restart() }, "deliver": w.deliver,
	}
}

// tell notes what happened; the first word or two are what is counted.
func (w *modelWalk) tell(outcome string, details ...any) {
	w.outcomes[outcome]++
	w.story = append(w.story, fmt.Sprint(append([]any{w.model.now.Format("15:04:05.000 "), outcome, " "}, details...)...))
}

// injured is the context of a step's calls, and what will go wrong in them.
func (w *modelWalk) injured(s modelStep) (context.Context, *injury) {
	i := &injury{kind: s.injury, at: s.at, kill: w.killBackend}
	if s.injury == 0 {
		return w.ctx, i
	}
	return withInjury(w.ctx, i), i
}

// abortedAsItShould judges a call whose transaction was ended: no success, and the model does not move.
func (w *modelWalk) abortedAsItShould(i *injury, err error) error {
	w.tell("aborted", i.kind, " at ", i.seen)
	if i.failed != nil {
		return i.failed
	}
	if err == nil {
		return errors.New("succeeded although its transaction was aborted")
	}
	return nil
}

func errUnlessUnknown(err error) error {
	if errors.Is(err, fault.ErrOutcomeUnknown) {
		return nil
	}
	return fmt.Errorf("the answer to COMMIT was lost, the call answers %w", orNone(err))
}

var errNone = errors.New("no error")

func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// codeOf is the code of a fault, or the whole of another error.
func codeOf(err error) string {
	switch f := fault.As(err); {
	case err == nil:
		return ""
	case f == nil:
		return "internal: " + err.Error()
	default:
		return f.Code
	}
}

func errUnlessCode(err error, want string) error {
	if got := codeOf(err); got != want {
		return fmt.Errorf("answers %q (%w), not %q", got, orNone(err), want)
	}
	return nil
}

// errUnlessInvalid wants a validation to name exactly these fields.
func errUnlessInvalid(err error, fields []string) error {
	if wrong := errUnlessCode(err, "validation_failed"); wrong != nil {
		return wrong
	}
	if got := slices.Sorted(maps.Keys(fault.As(err).Fields)); !slices.Equal(got, fields) {
		return fmt.Errorf("finds %v wrong, not %v", got, fields)
	}
	return nil
}
