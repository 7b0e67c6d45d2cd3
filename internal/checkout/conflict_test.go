package checkout_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A payment that is taken back after its card was charged has the charge undone; an appeal leaves
// it.
func TestTakenBack(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	agree := func(what string, voided, stand int) {
		t.Helper()
		if n := b.Count(
			t,
			"select count(*) from card_attempt a join sandbox_acquirer s on s.attempt_id = a.id where s.voided and a.status = 'voided'",
		); n != voided {
			t.Errorf("%s: %d charges are voided, want %d", what, n, voided)
		}
		if n := b.Count(
			t,
			"select count(*) from card_attempt a join sandbox_acquirer s on s.attempt_id = a.id where not s.voided and a.status = 'approved'",
		); n != stand {
			t.Errorf("%s: %d charges stand, want %d", what, n, stand)
		}
	}
	pay := func() {
		t.Helper()
		b.enter(t, token, panApproved)
		b.later(t, time.Second)
		b.want(t, token, bank, "completed", "")
	}
	pay()
	b.set(t, p, "appeal")
	b.later(t, time.Minute)
	agree("appeal", 0, 1)
	b.set(t, p, "failed")
	b.later(t, time.Minute)
	agree("failed", 1, 0)
	b.set(t, p, "pending")
	pay()
	agree("paid again", 1, 1)
	// Set back to pending, the next card may be entered before the first is undone.
	b.set(t, p, "pending")
	pay()
	b.later(t, time.Minute)
	agree("and again", 2, 1)
	b.set(t, p, "cancelled")
	b.set(t, p, "completed")
	b.later(t, time.Minute)
	if n, err := b.checkouts.OpenConflicts(t.Context()); n != 1 || err != nil {
		t.Errorf("completed on a word, its charge undone: %d conflicts, %v", n, err)
	}
	b.Audit(t)
}

// The trader says paid, the acquirer says no: an operator looks into it.
func TestConflict(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panDeclined)
	_, err := b.payments.Confirm(t.Context(), b.trader.Caller, p.ID)
	noError(t, err)
	b.later(t, time.Second)
	b.want(t, token, bank, "completed", "")
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	list, _, err := b.checkouts.ListConflicts(t.Context(), operator, nil, nil)
	noError(t, err)
	if len(list) != 1 || list[0].PaymentID != p.ID || list[0].PaymentStatus != "completed" ||
		list[0].AttemptState != string(acquirer.Declined) {
		t.Fatalf("conflicts %+v", list)
	}
	_, err = b.checkouts.CloseConflict(t.Context(), b.trader.Caller, list[0].ID)
	wantCode(t, "a trader closes it", err, "token_kind_not_allowed")
	_, err = b.checkouts.CloseConflict(t.Context(), operator, list[0].ID)
	noError(t, err)
	_, err = b.checkouts.CloseConflict(t.Context(), operator, list[0].ID)
	wantCode(t, "closed twice", err, "not_found")
	if n, err := b.checkouts.OpenConflicts(t.Context()); n != 0 || err != nil {
		t.Errorf("%d open %v", n, err)
	}
}

// A conflict that an operator has settled does not hide the next one of the same attempt.
func TestConflictAfterASettledOne(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panDeclined)
	b.later(t, time.Second)
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	for range 2 {
		b.set(t, p, "failed")
		b.set(t, p, "completed")
		b.set(t, p, "failed")
		b.set(t, p, "completed") // while it is open, there is no second
		list, _, err := b.checkouts.ListConflicts(t.Context(), operator, nil, nil)
		noError(t, err)
		if len(list) != 1 || list[0].AttemptState != "declined" {
			t.Fatalf("conflicts %+v", list)
		}
		_, err = b.checkouts.CloseConflict(t.Context(), operator, list[0].ID)
		noError(t, err)
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
	testenv.Until(
		t,
		"the card is on its way",
		func() bool { return b.Count(t, "select count(*) from card_attempt") == 1 },
	)
	_, err := b.checkouts.Cancel(t.Context(), token)
	noError(t, err)
	b.later(t, time.Minute)
	testenv.Want(t, b.Text(t, "select status from card_attempt"), "voided", "the attempt")
	close(late)
	<-ended
	testenv.Want(t, b.Text(t, "select a.status || ' ' || c.payment_status || ' ' || c.attempt_state "+
		"from card_attempt a join card_conflict c on c.attempt_id = a.id where c.closed_at is null"),
		"conflict cancelled approved", "the attempt and its conflict")
}

// Completed on somebody's word after its charge was undone: an operator learns of it. An appeal
// undoes nothing.
func TestCompletedUncharged(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panApproved)
	_, err := b.checkouts.Cancel(t.Context(), token)
	noError(t, err)
	b.later(t, time.Minute)
	b.set(t, p, "completed")
	list, _, err := b.checkouts.ListConflicts(t.Context(),
		caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}, nil, nil)
	noError(t, err)
	if len(list) != 1 || list[0].PaymentID != p.ID || list[0].PaymentStatus != "completed" ||
		list[0].AttemptState != "voided" {
		t.Fatalf("conflicts %+v", list)
	}
	p, token = b.create(t, "")
	b.enter(t, token, panDesk)
	_, err = b.payments.Confirm(t.Context(), b.trader.Caller, p.ID)
	noError(t, err)
	b.set(t, p, "appeal")
	b.later(t, time.Minute)
	b.set(t, p, "completed")
	// A payment nobody entered a card for has no charge to miss.
	p, _ = b.create(t, "")
	b.set(t, p, "completed")
	testenv.Want(t, b.Count(t, "select count(*) from sandbox_acquirer where voided"), 1, "charges are voided")
	if n, err := b.checkouts.OpenConflicts(t.Context()); n != 1 || err != nil {
		t.Errorf("%d conflicts, %v", n, err)
	}
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
	_, err := b.checkouts.SubmitDetails(ctx, token, typed(panDesk))
	noError(t, err)
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
	_, err := b.checkouts.SubmitDetails(t.Context(), token, typed(panCode))
	noError(t, err)
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
	rows, err := b.Pool.Query(t.Context(),
		"select actor, what, detail::text from payment_step where payment_id = $1 order by id", p.ID)
	noError(t, err)
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var actor, what, detail string
		err := row.Scan(&actor, &what, &detail)
		return fmt.Sprintf("%s %s %s", actor, what, detail), err
	})
	noError(t, err)
	return steps
}
