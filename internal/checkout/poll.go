package checkout

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/db"
	"gateway.example/internal/payment"
)

// pollersOfQueue is how many calls one process may have open to one acquirer,
// in all rounds together.
const pollersOfQueue = 16

// queue has the attempts that one acquirer of a trader has to be asked about.
// Each queue has its own pollers, so that a slow acquirer, or one with
// thousands of open attempts, does not delay the others.
type queue struct{ traderID, acquirerID int64 }

// Poll asks acquirers about the attempts that are due: for their state, or to
// undo them if the payment ended without money or was taken back. It returns
// when no attempt is due any more. Several rounds may run at the same time,
// also in other processes, because a poller claims each attempt just before it
// asks.
func (s *Service) Poll(ctx context.Context) error {
	due, err := s.q.AttemptQueues(ctx, s.clock.Now())
	if err != nil {
		return fmt.Errorf("count the attempts that are due: %w", err)
	}
	var asking sync.WaitGroup
	for _, row := range due {
		to := queue{row.TraderID, row.AcquirerID}
		for range s.polling.enter(to, row.Due) {
			asking.Go(func() {
				defer s.polling.leave(to)
				s.work(ctx, to)
			})
		}
	}
	asking.Wait()
	return nil
}

// crowd counts the pollers of each queue.
type crowd struct {
	mu  sync.Mutex
	out map[queue]int
}

// enter admits up to wanted pollers to a queue and returns how many. Each of
// them must leave.
func (c *crowd) enter(to queue, wanted int64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	admitted := int(min(wanted, int64(pollersOfQueue-c.out[to])))
	if admitted > 0 {
		c.out[to] += admitted
	}
	return max(admitted, 0)
}

func (c *crowd) leave(to queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out[to]--; c.out[to] == 0 {
		delete(c.out, to)
	}
}

// work asks about the attempts of a queue one after the other, beginning with
// the one that has been due longest. Claiming an attempt also postpones it, so
// that one that fails does not delay those behind it.
func (s *Service) work(ctx context.Context, to queue) {
	for ctx.Err() == nil {
		attempt, err := s.claim(ctx, to)
		if err != nil {
			slog.ErrorContext(ctx, "card attempt not claimed", "trader", to.traderID, "error", err)
		}
		if attempt == nil {
			return
		}
		if err := s.ask(ctx, *attempt); err != nil {
			slog.ErrorContext(ctx, "card attempt not asked about", "attempt", attempt.ID.String(), "error", err)
		}
	}
}

// claim locks the attempt of a queue that has been due longest and that nobody
// else has locked; it returns nil if there is none. It first lists attempts,
// and then locks them one by one.
func (s *Service) claim(ctx context.Context, from queue) (*db.CardAttempt, error) {
	now := s.clock.Now()
	due, err := s.q.AttemptsDue(ctx, db.AttemptsDueParams{
		Now: now, TraderID: from.traderID, AcquirerID: from.acquirerID, Most: 2 * pollersOfQueue,
	})
	if err != nil {
		return nil, err
	}
	for _, row := range due {
		attempt, err := s.q.AttemptClaim(ctx, db.AttemptClaimParams{Now: now, MerchantID: row.MerchantID, ID: row.ID})
		if !db.NoRows(err) {
			return &attempt, err
		}
	}
	return nil, nil
}

// ask asks about one attempt. No answer is no error: the acquirer is asked
// again.
func (s *Service) ask(ctx context.Context, a db.CardAttempt) error {
	to, err := s.Acquirers.Began(ctx, a.AcquirerID)
	if err != nil {
		return err
	}
	row, err := s.q.PaymentGet(ctx, db.PaymentGetParams{MerchantID: a.MerchantID, ID: a.PaymentID})
	if err != nil {
		return fmt.Errorf("read payment: %w", err)
	}
	k, status := key{a.MerchantID, a.PaymentID, a.ID, a.CodesSent}, payment.Status(row.Status)
	if a.Status == attemptUndoing || status == payment.Failed || status == payment.Cancelled {
		return s.void(ctx, to, k)
	}
	return s.inquire(ctx, to, k, a)
}

// inquire passes on a resend, and then asks for the state of an attempt. An
// attempt that the acquirer does not know is voided, so that a call that is
// still in progress has no effect.
func (s *Service) inquire(ctx context.Context, to acquirer.Acquirer, k key, a db.CardAttempt) error {
	s.passResend(ctx, to, a)
	answer, err := to.Result(ctx, k.id)
	if err != nil {
		noAnswer(ctx, "result", k.id, err)
		return nil
	}
	if answer.State == acquirer.Unknown {
		return s.void(ctx, to, k)
	}
	if s.saysNothingNew(answer, a) {
		return nil
	}
	return s.applyAnswer(ctx, k, answer, inquired)
}

// saysNothingNew reports whether an answer changes nothing, so that no lock is
// needed. For an attempt that has been open for long every answer is applied,
// because the attempt may have to be ended.
func (s *Service) saysNothingNew(answer acquirer.Answer, a db.CardAttempt) bool {
	young := s.clock.Now().Before(a.CreatedAt.Add(longOpen))
	nothingAsked := answer.State == acquirer.Pending ||
		answer.State == acquirer.CodeNeeded && answer.Codes <= a.CodesFollowed
	return young && nothingAsked && a.Status == attemptOpen && !a.Submitting
}

func (s *Service) void(ctx context.Context, to acquirer.Acquirer, k key) error {
	answer, err := to.Void(ctx, k.id)
	if err != nil {
		noAnswer(ctx, "void", k.id, err)
		return nil
	}
	return s.applyAnswer(ctx, k, answer, voided)
}

// passResend tells the acquirer about a resend that it does not know of yet.
// Whether that helped shows only with the next code.
func (s *Service) passResend(ctx context.Context, to acquirer.Acquirer, a db.CardAttempt) {
	row, err := s.q.CheckoutGet(ctx, db.CheckoutGetParams{MerchantID: a.MerchantID, PaymentID: a.PaymentID})
	if err != nil || row.AttemptID != a.ID || row.Resends <= a.ResendsTold {
		return
	}
	if _, err := to.ResendCode(ctx, a.ID, row.Resends); err != nil {
		noAnswer(ctx, "resend", a.ID, err)
		return
	}
	_ = s.q.AttemptResendTold(ctx, db.AttemptResendToldParams{MerchantID: a.MerchantID, ID: a.ID, ResendsTold: row.Resends})
}
