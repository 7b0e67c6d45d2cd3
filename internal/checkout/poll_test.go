package checkout_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
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

// switched is a bundle's acquirers with one that hangs beside the line: new cards go to it while present is set.
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
	rooms := b.checkouts.Rooms
	rooms.Acquirers = s
	b.checkouts = checkout.New(b.Pools(), b.clock, rooms)
	return s
}

// plantWaiting adds attempts of a payment that wait for somebody to decide, and are due.
func (b *bundle) plantWaiting(t *testing.T, p payment.Payment, acquirerID int64, count int) {
	t.Helper()
	b.Exec(t, `insert into card_attempt
			(merchant_id, id, payment_id, trader_id, acquirer_id, status, created_at, progress_at, poll_at)
		select $1, gen_random_uuid(), $2, $3, $4, 'open', $5, $5, $5 from generate_series(1, $6)`, p.MerchantID, p.ID, p.TraderID, acquirerID, b.clock.Now(), count)
	b.Exec(t, `insert into sandbox_acquirer (attempt_id, currency, amount, script, answers_at)
		select id, 'AZN', 10, 'desk', created_at from card_attempt on conflict do nothing`)
}

// round lets a second pass and begins a round, as the program does. It waits until nothing of the
// sandbox's acquirer is due, and not for the processor that hangs: the end of ctx ends that.
func (b *bundle) round(ctx context.Context, t *testing.T, rounds *sync.WaitGroup) {
	t.Helper()
	b.clock.Advance(time.Second)
	rounds.Go(func() {
		if err := b.checkouts.Poll(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	testenv.Until(t, "what is due has been asked about", func() bool {
		return b.Count(t, `select count(*) from card_attempt
			where acquirer_id = 0 and status in ('authorising', 'open', 'undoing') and poll_at <= $1`, b.clock.Now()) == 0
	})
}

// With many attempts open at a trader, and as many at a processor of theirs that hangs, an
// approval is seen within 3 s: rounds begin each second, whatever the machine takes for one.
func TestApprovalAmongMany(t *testing.T) {
	b := setup(t)
	acquirers := b.withHanging(t)
	old, _ := b.create(t, "")
	waiting := testenv.Pick(200, 2000)
	b.plantWaiting(t, old, 0, waiting)
	b.plantWaiting(t, old, hangingID, waiting)
	ctx, stop := context.WithCancel(t.Context())
	var rounds sync.WaitGroup
	for range 3 {
		_, token := b.create(t, "")
		b.enter(t, token, panApproved)
		for second := 1; ; second++ {
			b.round(ctx, t, &rounds)
			v := must(b.checkouts.Get(t.Context(), token))(t)
			if v.Payment.Status == "completed" {
				break
			}
			if second == 3 {
				t.Fatalf("%s after 3 s", v.Payment.Status)
			}
		}
	}
	testenv.Want(t, acquirers.hanging.most.Load(), 16, "questions at a time are at the processor that hangs")
	if n := b.Count(
		t, "select count(*) from card_attempt where acquirer_id = $1 and poll_at = progress_at", hangingID,
	); n != waiting-16 {
		t.Errorf("%d attempts were not put off, want all but the 16 that were asked about", n)
	}
	stop()
	rounds.Wait()
}

// How long an attempt is left alone grows with the time for which nothing has happened to it.
func TestPollPause(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "")
	b.enter(t, token, panDesk)
	noError(t, b.checkouts.Poll(t.Context()))
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
	must(b.checkouts.SubmitCode(t.Context(), token, "123456"))(t)
	b.later(t, 2*time.Second)
	testenv.Want(t, pause(), 1, "after a code: asked again in s")
}

// A trader's processor is replaced while a charge is under way. Only the former one knows of it, and is asked.
func TestProcessorReplaced(t *testing.T) {
	b := setup(t)
	acquirers := b.withHanging(t)
	_, approved := b.create(t, "")
	b.enter(t, approved, panApproved)
	_, cancelled := b.create(t, "")
	b.enter(t, cancelled, panApproved)
	_, asked := b.create(t, "")
	b.enter(t, asked, panCode)
	b.later(t, time.Second)
	acquirers.present.Store(true)
	_, err := b.checkouts.Cancel(t.Context(), cancelled)
	if err == nil {
		t.Error("a payment that its charge had completed was cancelled")
	}
	must(b.checkouts.SubmitCode(t.Context(), asked, "123456"))(t)
	b.later(t, 2*time.Second)
	b.want(t, approved, bank, "completed", "")
	b.want(t, asked, checkout.AwaitingConfirm, "completed", "")
	testenv.Want(t, acquirers.hanging.asked.Load(), 0,
		"times that the new processor was asked about charges it never saw")
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt where acquirer_id <> 0"), 0,
		"attempts have changed their processor")
}
