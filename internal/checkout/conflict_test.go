package checkout_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A payment that is taken back after its card was charged has the charge undone; an appeal leaves it.
func TestTakenBack(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	agree := func(what string, voided, stand int) {
		t.Helper()
		testenv.Want(t, b.charges(t, "s.voided and a.status = 'voided'"), voided, "%s: charges that are voided", what)
		testenv.Want(t, b.charges(t, "not s.voided and a.status = 'approved'"), stand, "%s: charges that stand", what)
	}
	b.pay(t, token)
	b.set(t, p, "appeal")
	b.later(t, time.Minute)
	agree("appeal", 0, 1)
	b.set(t, p, "failed")
	b.later(t, time.Minute)
	agree("failed", 1, 0)
	b.set(t, p, "pending")
	b.pay(t, token)
	agree("paid again", 1, 1)
	// Set back to pending, the next card may be entered before the first is undone.
	b.set(t, p, "pending")
	b.pay(t, token)
	b.later(t, time.Minute)
	agree("and again", 2, 1)
	b.set(t, p, "cancelled")
	b.set(t, p, "completed")
	b.later(t, time.Minute)
	b.wantConflicts(t, 1, "completed on a word, its charge undone")
	b.Audit(t)
}

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// onlyConflict is the one conflict that is open, of a completed payment and an attempt in that state.
func (b *bundle) onlyConflict(t *testing.T, p payment.Payment, attempt string) int64 {
	t.Helper()
	list, _, err := b.checkouts.ListConflicts(t.Context(), operator, nil, nil)
	noError(t, err)
	if len(list) != 1 || list[0].PaymentID != p.ID || list[0].PaymentStatus != "completed" ||
		list[0].AttemptState != attempt {
		t.Fatalf("conflicts %+v", list)
	}
	return list[0].ID
}

// The trader says paid, the acquirer says no: an operator looks into it.
func TestConflict(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panDeclined)
	must(b.payments.Confirm(t.Context(), b.trader.Caller, p.ID))(t)
	b.later(t, time.Second)
	b.want(t, token, bank, "completed", "")
	id := b.onlyConflict(t, p, "declined")
	closes := func(who caller.Caller) error { return errOf(b.checkouts.CloseConflict(t.Context(), who, id)) }
	noError(t, closes(operator))
	wantCode(t, "closed twice", closes(operator), "not_found")
	b.wantConflicts(t, 0, "after it was settled")
}

// A conflict that an operator has settled does not hide the next one of the same attempt.
func TestConflictAfterASettledOne(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panDeclined)
	b.later(t, time.Second)
	for range 2 {
		b.set(t, p, "failed")
		b.set(t, p, "completed")
		b.set(t, p, "failed")
		b.set(t, p, "completed") // while it is open, there is no second
		must(b.checkouts.CloseConflict(t.Context(), operator, b.onlyConflict(t, p, "declined")))(t)
	}
}

// An acquirer that says approved of what it has voided has taken money that nobody knows of: an operator learns of it.
func TestApprovedAfterVoided(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "")
	late, ended := make(chan struct{}), make(chan error, 1)
	b.line.approves.Store(&late)
	go func() {
		_, err := b.checkouts.SubmitDetails(context.WithoutCancel(t.Context()), token, typed(panApproved))
		ended <- err
	}()
	testenv.Until(t, "the card is on its way",
		func() bool { return b.Count(t, "select count(*) from card_attempt") == 1 })
	must(b.checkouts.Cancel(t.Context(), token))(t)
	b.later(t, time.Minute)
	testenv.Want(t, b.Text(t, "select status from card_attempt"), "voided", "the attempt")
	close(late)
	<-ended
	testenv.Want(t, b.Text(t, "select a.status || ' ' || c.payment_status || ' ' || c.attempt_state "+
		"from card_attempt a join card_conflict c on c.attempt_id = a.id where c.closed_at is null"),
		"conflict cancelled approved", "the attempt and its conflict")
}

// Completed on somebody's word after its charge was undone: an operator learns of it. An appeal undoes nothing.
func TestCompletedUncharged(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panApproved)
	must(b.checkouts.Cancel(t.Context(), token))(t)
	b.later(t, time.Minute)
	b.set(t, p, "completed")
	b.onlyConflict(t, p, "voided")
	p, token = b.create(t, "")
	b.enter(t, token, panDesk)
	must(b.payments.Confirm(t.Context(), b.trader.Caller, p.ID))(t)
	b.set(t, p, "appeal")
	b.later(t, time.Minute)
	b.set(t, p, "completed")
	// A payment nobody entered a card for has no charge to miss.
	p, _ = b.create(t, "")
	b.set(t, p, "completed")
	testenv.Want(t, b.Count(t, "select count(*) from sandbox_acquirer where voided"), 1, "charges are voided")
	b.wantConflicts(t, 1, "at the end")
	b.Audit(t)
}

// The steps of a card payment are kept as they are made, and of the card no more than its last four
// digits. A step that is refused leaves none.
func TestStepsAreKept(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	p, token := b.create(t, "")
	trader := caller.Caller{Kind: caller.Trader, ID: 3, TraderID: b.trader.ID, Role: caller.Desk}
	if _, err := b.checkouts.RequestCode(ctx, trader, p.ID); err == nil {
		t.Error("a code is asked for before there is a card")
	}
	must(b.checkouts.SubmitDetails(ctx, token, typed(panDesk)))(t)
	for _, step := range []func() error{
		func() error { _, err := b.checkouts.RequestCode(ctx, trader, p.ID); return err },
		func() error { _, err := b.checkouts.SubmitCode(ctx, token, "123456"); return err },
		func() error { b.clock.Advance(time.Minute); return b.checkouts.ResendByPayer(ctx, token) },
		func() error { _, err := b.checkouts.MarkCodeNotNeeded(ctx, trader, p.ID); return err },
	} {
		noError(t, step())
	}
	want := []string{
		`payer card_entered {"brand": "visa", "last4": "1111"}`, `trader:3 code_requested {}`, `payer code_entered {}`,
		`payer code_resent {"by": "merchant"}`, `trader:3 code_not_needed {}`,
	}
	if got := b.stepsKept(t, p); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// That the acquirer asks for a code is kept, too.
func TestStepOfTheAcquirer(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	must(b.checkouts.SubmitDetails(t.Context(), token, typed(panCode)))(t)
	for range 5 {
		b.clock.Advance(5 * time.Second)
		noError(t, b.checkouts.Poll(t.Context()))
	}
	want := []string{`payer card_entered {"brand": "visa", "last4": "3155"}`, `acquirer code_requested {}`}
	if got := b.stepsKept(t, p); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func (b *bundle) stepsKept(t *testing.T, p payment.Payment) []string {
	t.Helper()
	rows := must(b.Pool.Query(t.Context(),
		"select actor, what, detail::text from payment_step where payment_id = $1 order by id", p.ID))(t)
	return must(pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var actor, what, detail string
		err := row.Scan(&actor, &what, &detail)
		return fmt.Sprintf("%s %s %s", actor, what, detail), err
	}))(t)
}
