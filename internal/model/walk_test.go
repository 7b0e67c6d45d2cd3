// Package model_test walks at random through a gateway's life, payments, cards, payouts, deposits,
// insurance and appeals mixed, and compares every step with a small model written from the
// contract. Refusals for which it does not matter what was made before, of a wrong caller or a field,
// are left to the rooms' own tests. There is no program code here.
package model_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	decimals "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

// modelWalk plays steps on a gateway and on the model of it, and compares the two after each.
type modelWalk struct {
	ctx     context.Context
	t       testing.TB
	db      *dbtest.DB
	clock   *dbtest.Clock
	vault   *vault.Vault
	service *payment.Service
	payouts *payout.Service
	// checkouts and links are the payers' side of card payments, and bank the acquirer behind them.
	checkouts *checkout.Service
	links     *auth.Links
	bank      *modelBank
	// accounts and settings are the two services of cashboxes.
	accounts *deposit.Service
	settings *directory.Settings
	// pool is the services'; check is the walk's own connection.
	pool  *pgxpool.Pool
	check *pgx.Conn
	model *gatewayModel
	hooks *modelHooks
	// asks, payoutAsks and depositAsks are the creations asked for so far.
	asks        []modelAsk
	payoutAsks  []modelPayoutAsk
	depositAsks []modelDepositAsk
	// now is the step being played.
	now *modelStep
	// touched are the records the present step may have changed; told are the events of it that are
	// new.
	touched []modelRecord
	told    []uuid.UUID
	// story tells what happened, outcomes count it.
	story    []string
	outcomes map[string]int
}

func newModelWalk(t testing.TB) *modelWalk {
	t.Helper()
	d, v := dbtest.New(t), dbtest.Vault()
	w := &modelWalk{
		ctx: t.Context(), t: t, db: d, clock: &dbtest.Clock{}, vault: v,
		bank: newModelBank(), outcomes: map[string]int{},
	}
	w.model = newModelWorld(t, d)
	w.model.now = w.clock.Now()
	w.hooks = newModelHooks(t, d, v, w.clock)
	var err error
	if w.check, err = pgx.Connect(w.ctx, d.URL); err != nil {
		t.Fatal(err)
	}
	decimals.Register(w.check.TypeMap())
	t.Cleanup(func() {
		_ = w.check.Close(context.Background())
		w.pool.Close()
	})
	testenv.NoError(t, w.restart())
	w.rate("RUB", "100", nil)
	w.rate("MNT", "3400", nil)
	w.rate("TRY", "41", nil)
	for _, trader := range w.model.traders {
		w.fund(trader, 100_00000000)
	}
	return w
}

func (w *modelWalk) crash(modelStep) error {
	w.tell("restart")
	return w.restart()
}

// restart is a crash and a new start: pool and services are gone, the database remains.
func (w *modelWalk) restart() error {
	if w.pool != nil {
		w.pool.Close()
	}
	var err error
	if w.pool, err = openInjurable(w.ctx, w.db.URL, dbtest.PoolSize()); err != nil {
		return err
	}
	addresses := outbound.NewAddresses(true)
	key := make([]byte, vault.KeySize)
	cards := card.NewSafe(w.vault, key)
	settings, err := directory.NewKeeper(w.ctx, w.pool, 0, nil)
	if err != nil {
		return err
	}
	w.service, err = payment.New(db.OnePool(w.pool), w.clock, addresses, settings, payment.Config{
		Requisites: dbtest.Requisites(),
		Markup:     decimal.RequireFromString(modelMarkup), ExternalSecret: true,
		Cards: cards, CardMoved: checkout.OnStatusChange,
	})
	if err != nil {
		return err
	}
	if w.links, err = auth.NewLinks(key); err != nil {
		return err
	}
	// Limits that were never loaded bound nothing.
	w.checkouts = checkout.New(db.OnePool(w.pool), w.clock, checkout.Rooms{
		Payments: w.service, Links: w.links, Cards: cards, Acquirers: w.bank, Limits: limit.New(w.pool),
	})
	w.accounts, w.settings = deposit.New(db.OnePool(w.pool), w.clock, foureyes.Rules{}), directory.NewSettings(db.OnePool(w.pool),
		w.clock, w.vault, dbtest.Requisites(), directory.Config{})
	w.payouts = payout.New(db.OnePool(w.pool), w.clock, w.vault, addresses, foureyes.Rules{})
	return err
}

// play plays the steps up to the first that fails, and answers its index, or -1. With audits it
// also settles all cards and delivers whatever is left at the end.
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
	if err := errors.Join(w.closeBooks(), w.drain(), w.audit()); err != nil {
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
	op := slices.IndexFunc(modelOps, func(o modelOp) bool { return o.op == s.op })
	if err := modelOps[op].play(w, s); err != nil {
		return err
	}
	return w.verify()
}

// tell notes what happened; the first word or two are what is counted.
func (w *modelWalk) tell(outcome string, details ...any) {
	w.outcomes[outcome]++
	w.story = append(w.story,
		fmt.Sprint(append([]any{w.model.now.Format("15:04:05.000 "), outcome, " "}, details...)...))
}

// injured is the context of a step's calls, and what will go wrong in them.
func (w *modelWalk) injured(s modelStep) (context.Context, *injury) {
	i := &injury{kind: s.injury, at: s.at, kill: w.killBackend}
	if s.injury == 0 {
		return w.ctx, i
	}
	return withInjury(w.ctx, i), i
}

// abortedAsItShould judges a call whose transaction was ended: no success, and the model does not
// move.
func (w *modelWalk) abortedAsItShould(i *injury, err error) error {
	w.tell("aborted "+w.now.op, i.kind, " at ", i.seen)
	if i.failed != nil {
		return i.failed
	}
	if err == nil {
		return errors.New("succeeded although its transaction was aborted")
	}
	return nil
}

// judged says whether a call that should be refused with the code, or "" for none, did what it was
// to do. Where only the answer was lost it did; where its transaction was aborted it did not.
func (w *modelWalk) judged(i *injury, err error, want string) (done bool, wrong error) {
	switch {
	case i.aborted():
		return false, w.abortedAsItShould(i, err)
	case i.lost():
		w.tell("lost " + w.now.op)
		if want != "" {
			return false, fmt.Errorf("commits what it should refuse as %q", want)
		}
		return true, errUnlessUnknown(err)
	}
	if want != "" {
		w.tell(w.now.op + " " + want)
	}
	return want == "", errUnlessCode(err, want)
}

var modelOperator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

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

// errOf is the error of a call whose answer does not matter.
func errOf[T any](_ T, err error) error { return err }

// atOnce makes calls at the same time, and has what each of them answers.
func atOnce[T any](count int, call func(i int) (T, error)) ([]T, []error) {
	answers, errs := make([]T, count), make([]error, count)
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() { answers[i], errs[i] = call(i) })
	}
	wg.Wait()
	return answers, errs
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

func TestMain(m *testing.M) {
	// What the rooms log of each refusal would hide what a failing walk has to tell.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dbtest.Main(m)
}
