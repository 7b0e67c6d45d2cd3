// Package model_test walks at random through a gateway's life, payments, cards,
// payouts, deposits, withdrawals, insurance and appeals mixed, and compares
// every step with a small model written from the contract. Refusals for which
// it does not matter what was made before, of a wrong caller or a field, are
// left to the packages' own tests. There is no program code here.
package model_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	decimals "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/chain"
	"gateway.example/internal/checkout"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/limit"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/withdrawal"
)

// modelWalk plays steps on a gateway and on the model of it, and compares the
// two after each.
type modelWalk struct {
	ctx     context.Context
	t       testing.TB
	db      *dbtest.DB
	clock   *dbtest.Clock
	vault   *vault.Vault
	service *payment.Service
	// messages are what traders' phones forward.
	messages *bankmessage.Service
	payouts  *payout.Service
	// checkouts and links are the payers' side of card payments, and bank
	// the acquirer behind them.
	checkouts *checkout.Service
	links     *auth.Links
	bank      *modelBank
	// accounts and settings are the two services of cashboxes.
	accounts *deposit.Service
	settings *directory.Settings
	// withdrawals and watcher look outside at chain, which is the network
	// as it is.
	withdrawals *withdrawal.Service
	watcher     *chain.Watcher
	chain       *modelChain
	// pool is the services'; check is the walk's own connection.
	pool  db.Pool
	check *pgx.Conn
	model *gatewayModel
	hooks *modelHooks
	// asks are the creations asked for so far.
	asks modelAsks
	// now is the step being played.
	now *modelStep
	// touched are the records the present step may have changed; told are
	// the events of it that are new.
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
		bank: &modelBank{charges: map[uuid.UUID]*modelCharge{}}, chain: &modelChain{}, outcomes: map[string]int{},
	}
	w.chain.mine(2 * modelFinal)
	w.model = newModelWorld(t, d)
	w.model.now = w.clock.Now()
	w.hooks = newModelHooks(t, d, v, w.clock)
	w.check = testenv.Must(pgx.Connect(w.ctx, d.URL))(t)
	decimals.Register(w.check.TypeMap())
	t.Cleanup(func() {
		_ = w.check.Close(context.Background())
		w.pool.Close()
	})
	testenv.NoError(t, caught(func() {
		w.restart()
		for currency, fiats := range modelFiats {
			w.rate(currency, fiats[0], nil)
		}
		for _, trader := range w.model.traders {
			w.fund(trader, 100_00000000)
		}
	}))
	return w
}

func (w *modelWalk) crash(modelStep) {
	w.tell("restart")
	w.restart()
}

// restart is a crash and a new start: pool and services are gone, the database
// remains.
func (w *modelWalk) restart() {
	if w.pool != nil {
		w.pool.Close()
	}
	w.pool = given(openInjurable(w.ctx, w.db.URL, dbtest.PoolSize))
	pools, addresses, key := db.OnePool(w.pool), outbound.NewAddresses(true), make([]byte, vault.KeySize)
	cards := card.NewSafe(w.vault, key)
	w.payouts = payout.New(pools, w.clock, w.vault, addresses, foureyes.Rules{})
	keeper := given(inforce.NewKeeper(w.ctx, w.pool, 0, nil))
	w.service = given(payment.New(pools, w.clock, addresses, keeper, payment.Config{
		Requisites: dbtest.Requisites(), Markup: decimal.RequireFromString(modelMarkup), ExternalSecret: true,
		Cards: cards, CardMoved: checkout.OnStatusChange, Payouts: w.payouts,
	}))
	w.messages = bankmessage.New(pools, w.clock, w.vault, w.service)
	w.links = given(auth.NewLinks(key))
	// Limits that were never loaded bound nothing.
	w.checkouts = checkout.New(pools, w.clock, checkout.Services{
		Payments: w.service, Links: w.links, Cards: cards, Acquirers: w.bank, Limits: limit.New(w.pool),
	})
	w.accounts = deposit.New(pools, w.clock, foureyes.Rules{})
	w.accounts.ConfirmSeen = true
	w.settings = directory.NewSettings(pools, w.clock, w.vault, dbtest.Requisites(), directory.Config{})
	signer := given(attest.New(w.pool, key))
	w.withdrawals = withdrawal.New(pools, w.clock, addresses, signer, foureyes.Rules{On: true})
	w.follow()
}

// play plays the steps up to the first that fails, and answers its index, or
// -1. With audits it also settles all cards and delivers whatever is left at
// the end.
func (w *modelWalk) play(steps []modelStep, auditEvery int) (int, error) {
	for i := range steps {
		w.now = &steps[i]
		err := caught(func() {
			w.step(steps[i])
			if auditEvery > 0 && i%auditEvery == auditEvery-1 {
				w.audit()
			}
		})
		if err != nil {
			return i, fmt.Errorf("step %d, %s: %w", i+1, steps[i], err)
		}
	}
	if auditEvery == modelAuditNever {
		return -1, nil
	}
	if err := errors.Join(caught(w.closeBooks), caught(w.drain), caught(w.audit)); err != nil {
		return len(steps) - 1, fmt.Errorf("after the last step: %w", err)
	}
	return -1, nil
}

func (w *modelWalk) step(s modelStep) {
	w.touched = w.touched[:0]
	op := slices.IndexFunc(modelOps, func(o modelOp) bool { return o.op == s.op })
	modelOps[op].play(w, s)
	w.verify()
}

// modelFault is what a walk finds wrong. It ends the step from wherever it is
// found.
type modelFault struct{ error }

func fail(format string, args ...any) { panic(modelFault{fmt.Errorf(format, args...)}) }

// must ends the step if there is an error.
func must(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		panic(modelFault{err})
	}
}

// given is what a call has given that must succeed.
func given[T any](value T, err error) T {
	must(err)
	return value
}

// caught is what is found wrong by what is done.
func caught(do func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case modelFault:
			err = r.error
		default:
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	do()
	return nil
}

// tell notes what happened; the first word or two are what is counted.
func (w *modelWalk) tell(outcome string, details ...any) {
	w.outcomes[outcome]++
	w.story = append(w.story,
		fmt.Sprint(append([]any{w.model.now.Format("15:04:05.000 "), outcome, " "}, details...)...))
}

// injured is the context of the present step's calls, and what will go wrong in
// them.
func (w *modelWalk) injured() (context.Context, *injury) {
	i := &injury{kind: w.now.injury, at: w.now.at, kill: w.killBackend}
	if i.kind == 0 {
		return w.ctx, i
	}
	return context.WithValue(w.ctx, injuryKey{}, i), i
}

// aborted judges a call whose transaction was ended: no success, and the model
// does not move.
func (w *modelWalk) aborted(i *injury, err error) {
	w.tell("aborted "+w.now.op, i.kind, " at ", i.seen)
	must(i.failed)
	if err == nil {
		fail("succeeded although its transaction was aborted")
	}
}

// judged says whether a call that should be refused with the code, or "" for
// none, did what it was to do. Where only the answer was lost it did; where its
// transaction was aborted it did not.
func (w *modelWalk) judged(i *injury, err error, want string) (done bool) {
	switch {
	case i.aborted():
		w.aborted(i, err)
		return false
	case i.lost():
		w.tell("lost " + w.now.op)
		if want != "" {
			fail("commits what it should refuse as %q", want)
		}
		wantUnknown(err)
		return true
	case want != "":
		w.tell(w.now.op + " " + want)
	}
	wantCode(err, want)
	return want == ""
}

var (
	modelOperator    = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	modelSecond      = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 2}
	modelApplication = caller.Caller{Kind: caller.Application}
)

// unless is the code of a refusal, or "" where there is none.
func unless(allowed bool, code string) string {
	if allowed {
		return ""
	}
	return code
}

func wantUnknown(err error) {
	if !errors.Is(err, fault.ErrOutcomeUnknown) {
		fail("the answer to COMMIT was lost, the call answers %w", orNone(err))
	}
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

// wantCode wants a call to be refused with one of the codes, "" for none.
func wantCode(err error, codes ...string) {
	if got := codeOf(err); !slices.Contains(codes, got) {
		fail("answers %q (%w), not %q", got, orNone(err), codes)
	}
}

// wantRefused wants a refusal, and a validation to name exactly these fields.
func wantRefused(err error, code string, fields []string) {
	wantCode(err, code)
	if f := fault.As(err); code == "validation_failed" && !slices.Equal(slices.Sorted(maps.Keys(f.Fields)), fields) {
		fail("finds %v wrong, not %v", f.Fields, fields)
	}
}

// atOnce makes calls at the same time, and has what each of them answers.
func atOnce[T any](count int, call func(i int) (T, error)) (answers []T, errs []error) {
	answers = make([]T, count)
	errs = testenv.AtOnce(count, func(i int) (err error) {
		answers[i], err = call(i)
		return err
	})
	return answers, errs
}

func TestMain(m *testing.M) {
	// What the services log of each refusal would hide what a failing walk
	// has to tell.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dbtest.Main(m)
}
