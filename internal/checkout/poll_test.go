package checkout_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// hanging is a processor that takes cards and never says anything again.
type hanging struct {
	acquirer.Acquirer
	asked, together, most atomic.Int64
}

func (h *hanging) Result(ctx context.Context, _ uuid.UUID) (acquirer.Answer, error) {
	h.asked.Add(1)
	for now := h.together.Add(1); ; {
		most := h.most.Load()
		if now <= most || h.most.CompareAndSwap(most, now) {
			break
		}
	}
	defer h.together.Add(-1)
	<-ctx.Done()
	return acquirer.Answer{}, ctx.Err()
}

// hangingID is the id of the processor that hangs.
const hangingID = 7

// switched is a bundle's acquirers with one that hangs beside the line: new
// cards go to it while present is set.
type switched struct {
	*line
	hanging hanging
	present atomic.Bool
}

func (s *switched) For(ctx context.Context, traderID int64) (acquirer.Acquirer, int64, error) {
	if s.present.Load() {
		return &s.hanging, hangingID, nil
	}
	return s.line.For(ctx, traderID)
}

func (s *switched) Began(ctx context.Context, id int64) (acquirer.Acquirer, error) {
	if id == hangingID {
		return &s.hanging, nil
	}
	return s.line.Began(ctx, id)
}

// withHanging gives the bundle's checkout a processor that hangs.
func (b *bundle) withHanging(t *testing.T) *switched {
	t.Helper()
	s := &switched{line: b.line}
	s.hanging.Acquirer = b.line.Acquirer
	services := b.checkouts.Services
	services.Acquirers = s
	b.checkouts = checkout.New(b.Pools(), b.clock, services)
	return s
}

// plantWaiting adds attempts of a payment that wait for somebody to decide, and
// are due.
func (b *bundle) plantWaiting(t *testing.T, p payment.Payment, acquirerID int64, count int) {
	t.Helper()
	b.Exec(t, `insert into card_attempt
			(merchant_id, id, payment_id, trader_id, acquirer_id, status, created_at, progress_at, poll_at)
		select $1, gen_random_uuid(), $2, $3, $4, 'open', $5, $5, $5 from generate_series(1, $6)`, p.MerchantID, p.ID, p.TraderID, acquirerID, b.clock.Now(), count)
	b.Exec(t, `insert into sandbox_acquirer (attempt_id, currency, amount, script, answers_at)
		select id, 'AZN', 10, 'desk', created_at from card_attempt on conflict do nothing`)
}

// round lets a second pass and begins a round, as the program does. It waits
// until nothing of the sandbox's acquirer is due, and not for the processor
// that hangs: the end of ctx ends that.
func (b *bundle) round(ctx context.Context, t *testing.T, rounds *sync.WaitGroup) {
	t.Helper()
	b.clock.Advance(time.Second)
	rounds.Go(func() {
		err := b.checkouts.Poll(ctx)
		testenv.Check(t, err == nil || errors.Is(err, context.Canceled), "%v", err)
	})
	testenv.Until(t, "what is due has been asked about", func() bool {
		return b.Count(t, `select count(*) from card_attempt
			where acquirer_id = 0 and status in ('authorising', 'open', 'undoing') and poll_at <= $1`, b.clock.Now()) == 0
	})
}

// With many attempts open at a trader, and as many at a processor of theirs
// that hangs, an approval is seen within 3 s: rounds begin each second,
// whatever the machine takes for one. Attempts that have ended are in nobody's
// way.
func TestApprovalAmongMany(t *testing.T) {
	b := setup(t)
	acquirers := b.withHanging(t)
	old, _ := b.create(t, "")
	waiting := testenv.Pick(t, 200, 2000)
	b.plantWaiting(t, old, 0, 100)
	b.Exec(t, "update card_attempt set status = 'declined'")
	b.plantWaiting(t, old, 0, waiting)
	b.plantWaiting(t, old, hangingID, waiting)
	ctx, stop := context.WithCancel(t.Context())
	var rounds sync.WaitGroup
	for range 3 {
		_, token := b.create(t, "")
		b.enter(t, token, panApproved)
		for second := 1; ; second++ {
			b.round(ctx, t, &rounds)
			v := testenv.Must(b.checkouts.Get(t.Context(), token))(t)
			if v.Payment.Status == "completed" {
				break
			}
			testenv.Need(t, second != 3, "%s after 3 s", v.Payment.Status)
		}
	}
	testenv.Until(t, "all but the 16 that are asked about are as they were", func() bool {
		return b.Count(t, "select count(*) from card_attempt where acquirer_id = $1 and poll_at = progress_at", hangingID) == waiting-16
	})
	testenv.Want(t, acquirers.hanging.most.Load(), 16, "questions at a time are at the processor that hangs")
	stop()
	rounds.Wait()
}

// How long an attempt is left alone grows with the time for which nothing has
// happened to it.
func TestPollPause(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "")
	b.enter(t, token, panDesk)
	testenv.NoError(t, b.checkouts.Poll(t.Context()))
	pause := func() (seconds int) {
		t.Helper()
		b.Get(t, &seconds, "select extract(epoch from poll_at - $1)::integer from card_attempt", b.clock.Now())
		return seconds
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{
		{2 * time.Second, 1}, {13 * time.Second, 3}, {45 * time.Second, 12}, {time.Minute, 24}, {3 * time.Minute, 30}, {8 * time.Minute, 30},
	} {
		b.later(t, step.after)
		testenv.Want(t, pause(), step.want, "after another %s: asked again in s", step.after)
	}
	// The payer gives a code of which nobody had asked: something happened.
	testenv.Must(b.checkouts.SubmitCode(t.Context(), token, "123456"))(t)
	b.later(t, 2*time.Second)
	testenv.Want(t, pause(), 1, "after a code: asked again in s")
}

// A trader's processor is replaced while a charge is under way. Only the former
// one knows of it, and is asked.
func TestProcessorReplaced(t *testing.T) {
	b := setup(t)
	acquirers := b.withHanging(t)
	_, approved := b.create(t, "")
	b.enter(t, approved, panApproved)
	_, cancelled := b.create(t, "")
	b.enter(t, cancelled, panApproved)
	_, asked := b.create(t, "")
	b.tried(t, asked, panCode)
	acquirers.present.Store(true)
	_, err := b.checkouts.Cancel(t.Context(), cancelled)
	testenv.Check(t, err != nil, "a payment that its charge had completed was cancelled")
	testenv.Must(b.checkouts.SubmitCode(t.Context(), asked, "123456"))(t)
	b.later(t, 2*time.Second)
	b.want(t, approved, bank, "completed", "")
	b.want(t, asked, checkout.AwaitingConfirm, "completed", "")
	testenv.Want(t, acquirers.hanging.asked.Load(), 0, "times that the new processor was asked about charges it never saw")
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt where acquirer_id <> 0"), 0,
		"attempts have changed their processor")
}

// A payment that is taken back after its card was charged has the charge
// undone; an appeal leaves it.
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
	// Set back to pending, the next card may be entered before the first is
	// undone.
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

// onlyConflict is the one conflict that is open, of a completed payment and an
// attempt in that state.
func (b *bundle) onlyConflict(t *testing.T, p payment.Payment, attempt string) int64 {
	t.Helper()
	list, _ := testenv.Must2(b.checkouts.ListConflicts(t.Context(), operator, nil, nil))(t)
	testenv.Need(t, len(list) == 1 && list[0].PaymentID == p.ID && list[0].PaymentStatus == "completed" &&
		list[0].AttemptState == attempt, "conflicts %+v", list)
	return list[0].ID
}

// The trader says paid, the acquirer says no: an operator looks into it.
func TestConflict(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panDeclined)
	testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, p.ID))(t)
	b.later(t, time.Second)
	b.want(t, token, bank, "completed", "")
	id := b.onlyConflict(t, p, "declined")
	closes := func(who caller.Caller) error { return testenv.ErrOf(b.checkouts.CloseConflict(t.Context(), who, id)) }
	testenv.NoError(t, closes(operator))
	wantCode(t, "closed twice", closes(operator), "not_found")
	b.wantConflicts(t, 0, "after it was settled")
}

// A conflict that an operator has settled does not hide the next one of the
// same attempt.
func TestConflictAfterASettledOne(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.tried(t, token, panDeclined)
	for range 2 {
		b.set(t, p, "failed")
		b.set(t, p, "completed")
		b.set(t, p, "failed")
		b.set(t, p, "completed") // while it is open, there is no second
		testenv.Must(b.checkouts.CloseConflict(t.Context(), operator, b.onlyConflict(t, p, "declined")))(t)
	}
}

// An acquirer that says approved of what it has voided has taken money that
// nobody knows of: an operator learns of it. Saying so twice of what it has
// charged once is no news.
func TestApprovedAfterVoided(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(*testing.T, *bundle, string)
		before    string
		after     string
	}{
		"voided": {func(t *testing.T, b *bundle, token string) {
			t.Helper()
			testenv.Must(b.checkouts.Cancel(t.Context(), token))(t)
		}, "voided", "conflict cancelled approved"},
		"charged": {func(*testing.T, *bundle, string) {}, "approved", "approved"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			_, token := b.create(t, "")
			late, ended := make(chan struct{}), make(chan error, 1)
			b.line.approves.Store(&late)
			go func() {
				ended <- testenv.ErrOf(b.checkouts.SubmitDetails(context.WithoutCancel(t.Context()), token, typed(panApproved)))
			}()
			testenv.Until(t, "the card is on its way",
				func() bool { return b.Count(t, "select count(*) from sandbox_acquirer") == 1 })
			c.meanwhile(t, b, token)
			b.later(t, time.Minute)
			testenv.Want(t, b.Text(t, "select status from card_attempt"), c.before, "the attempt")
			close(late)
			<-ended
			testenv.Want(t, b.Text(t, "select concat_ws(' ', a.status, c.payment_status, c.attempt_state) "+
				"from card_attempt a left join card_conflict c on c.attempt_id = a.id and c.closed_at is null"),
				c.after, "the attempt and its conflict")
		})
	}
}

// Completed on somebody's word after its charge was undone: an operator learns
// of it. An appeal undoes nothing.
func TestCompletedUncharged(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panApproved)
	testenv.Must(b.checkouts.Cancel(t.Context(), token))(t)
	b.later(t, time.Minute)
	b.set(t, p, "completed")
	b.onlyConflict(t, p, "voided")
	p, token = b.create(t, "")
	b.enter(t, token, panDesk)
	testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, p.ID))(t)
	b.set(t, p, "appeal")
	b.later(t, time.Minute)
	b.set(t, p, "completed")
	// A payment nobody entered a card for has no charge to miss.
	p, _ = b.create(t, "")
	b.set(t, p, "completed")
	testenv.Want(t, b.Count(t, voidedCards), 1, "charges are voided")
	b.wantConflicts(t, 1, "at the end")
	b.Audit(t)
}

// The steps of a card payment are kept as they are made, and of the card no
// more than its last four digits. A step that is refused leaves none.
func TestStepsAreKept(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	p, token := b.create(t, "")
	trader := caller.Caller{Kind: caller.Trader, ID: 3, TraderID: b.trader.ID, Role: caller.Desk}
	testenv.Check(t, testenv.ErrOf(b.checkouts.RequestCode(ctx, trader, p.ID)) != nil, "a code is asked for before there is a card")
	testenv.Must(b.checkouts.SubmitDetails(ctx, token, typed(panDesk)))(t)
	testenv.Must(b.checkouts.RequestCode(ctx, trader, p.ID))(t)
	testenv.Must(b.checkouts.SubmitCode(ctx, token, "123456"))(t)
	b.clock.Advance(time.Minute)
	testenv.NoError(t, b.checkouts.ResendByPayer(ctx, token))
	testenv.Must(b.checkouts.MarkCodeNotNeeded(ctx, trader, p.ID))(t)
	b.wantKept(t, p, `payer card_entered {"brand": "visa", "last4": "1111"}`, `trader:3 code_requested {}`,
		`payer code_entered {}`, `payer code_resent {"by": "merchant"}`, `trader:3 code_not_needed {}`)
	// That the acquirer asks for a code is kept, too.
	p, token = b.create(t, "")
	b.tried(t, token, panCode)
	b.wantKept(t, p, `payer card_entered {"brand": "visa", "last4": "3155"}`, `acquirer code_requested {}`)
}

// wantKept wants these steps of a payment to be kept.
func (b *bundle) wantKept(t *testing.T, p payment.Payment, want ...string) {
	t.Helper()
	testenv.Want(t, b.Text(t, "select string_agg(concat_ws(' ', actor, what, detail), E'\n' order by id) from payment_step "+
		"where payment_id = $1", p.ID), strings.Join(want, "\n"), "the steps kept")
}

// An attempt is timed while its processor has the card or a code, and not while
// the payer is asked for one.
func TestAttemptIsTimed(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "")
	b.tried(t, token, panCode)
	b.want(t, token, code, "pending", "")
	b.clock.Advance(time.Minute)
	testenv.Must(b.checkouts.SubmitCode(t.Context(), token, "123456"))(t) // which is answered at once
	b.want(t, token, confirm, "completed", "")
	testenv.Want(t, b.Text(t, "select status || ' ' || took_ms || ' ' || (handed_at is null) from card_attempt"),
		"approved 1001 true", "the attempt")
}
