package checkout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gateway/internal/acquirer"
	"gateway/internal/db"
	"gateway/internal/payment"
)

const (
	pollBatch = 200
	// pollers bounds how many attempts a round asks about at a time, and of one trader all rounds together: a processor
	// that hangs holds up no other.
	pollers, pollersOfTrader = 32, 16
	// How often an attempt is asked about: while it is young, then, and when it has long been open.
	pollSoon, pollLater, pollLast = time.Second, 3 * time.Second, 15 * time.Second
)

// Poll asks acquirers about the attempts that are due: how they stand, or, where the payment ended without money or
// was taken back, that they be undone. Replicas polling at the same time pass each other's by.
func (s *Service) Poll(ctx context.Context) error {
	now := s.clock.Now()
	due, err := s.q.AttemptClaim(ctx, db.AttemptClaimParams{
		Now: now, Soon: now.Add(pollSoon), Later: now.Add(pollLater), Last: now.Add(pollLast), Page: pollBatch,
	})
	if err != nil {
		return fmt.Errorf("claim attempts: %w", err)
	}
	var asking sync.WaitGroup
	free := make(chan struct{}, pollers)
	failed := make([]error, len(due))
	for i, attempt := range due {
		leave, entered := s.polling.enter(attempt.TraderID)
		if !entered {
			continue // it comes round again
		}
		free <- struct{}{}
		asking.Go(func() {
			defer func() { leave(); <-free }()
			failed[i] = s.ask(ctx, attempt)
		})
	}
	asking.Wait()
	return errors.Join(failed...)
}

// crowd counts the questions on their way to each trader's acquirer.
type crowd struct {
	mu  sync.Mutex
	out map[int64]int
}

// enter lets a question through, to be followed by leave, unless there are enough.
func (c *crowd) enter(traderID int64) (leave func(), entered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out[traderID] >= pollersOfTrader {
		return nil, false
	}
	c.out[traderID]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.out[traderID]--; c.out[traderID] == 0 {
			delete(c.out, traderID)
		}
	}, true
}

// ask asks about one attempt. An acquirer without an answer is no failure of ours: it is asked again.
func (s *Service) ask(ctx context.Context, a db.CardAttempt) error {
	to, err := s.acquirerOf(ctx, a.TraderID)
	if err != nil {
		return err
	}
	row, err := s.q.PaymentGet(ctx, db.PaymentGetParams{MerchantID: a.MerchantID, ID: a.PaymentID})
	if err != nil {
		return fmt.Errorf("read payment: %w", err)
	}
	k, status := key{a.MerchantID, a.PaymentID, a.ID}, payment.Status(row.Status)
	if a.Status == attemptUndoing || status == payment.Failed || status == payment.Cancelled {
		return s.void(ctx, to, k)
	}
	return s.inquire(ctx, to, k, a)
}

// inquire asks how an attempt stands, after it has passed on a resend. One that the acquirer never heard of is voided,
// so that a call still under way does nothing.
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
	if settled(answer, a) {
		return nil
	}
	return s.take(ctx, k, answer, inquired)
}

// settled reports whether an answer says nothing new, so that no lock need be taken for it.
func settled(answer acquirer.Answer, a db.CardAttempt) bool {
	young := a.Polls < 100 // an old one may have to be ended
	nothingAsked := answer.State == acquirer.Pending || answer.State == acquirer.CodeNeeded && answer.Codes <= a.CodesFollowed
	return young && nothingAsked && a.Status == attemptOpen && !a.Submitting
}

func (s *Service) void(ctx context.Context, to acquirer.Acquirer, k key) error {
	answer, err := to.Void(ctx, k.id)
	if err != nil {
		noAnswer(ctx, "void", k.id, err)
		return nil
	}
	return s.take(ctx, k, answer, voided)
}

// passResend tells the acquirer of a resend it was not told of yet. Whether that helps shows in the next code.
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
