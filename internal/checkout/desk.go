package checkout

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// RequestCode asks the payer for the code from their bank, for the trader.
func (s *Service) RequestCode(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
	return s.atDesk(ctx, who, id, payment.StepCodeRequested, State.codeRequested)
}

// MarkCodeNotNeeded stores that no code will come, as the trader says.
func (s *Service) MarkCodeNotNeeded(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
	return s.atDesk(ctx, who, id, payment.StepCodeNotNeeded, State.codeNotNeeded)
}

// atDesk makes a step for the trader to whom the payment is assigned, under the
// payment's lock. Its state and its step are stored together or not at all.
// step decides by the locked state; its error is the answer.
func (s *Service) atDesk(
	ctx context.Context, who caller.Caller, id int64, name payment.StepName, step func(State) (State, error),
) (payment.Payment, error) {
	found, err := s.assigned(ctx, who, id)
	if err != nil {
		return found, err
	}
	return s.Payments.WithLocked(ctx, found.MerchantID, found.ID, func(p *payment.Locked) error {
		if p.Status != payment.Pending {
			return payment.ErrNotPending
		}
		if !p.CardCheckout() {
			return errWrongStep
		}
		q := db.New(p.Tx)
		state, err := s.state(ctx, q, p.Payment)
		if err != nil {
			return err
		}
		if state, err = step(state); err != nil {
			return err
		}
		return db.Pipeline(ctx, p.Tx, put(p.Payment, state),
			payment.Step(p.Payment, s.clock.Now(), who.Actor(), name, payment.StepDetail{}))
	})
}

// Resend asks for the code again, for the merchant.
func (s *Service) Resend(ctx context.Context, who caller.Caller, id string) (State, error) {
	if err := who.NeedMerchant(caller.ScopePayments); err != nil {
		return State{}, err
	}
	found, err := s.Payments.Get(ctx, who, id)
	if err != nil {
		return State{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return State{}, err
	}
	_, state, err := s.resend(ctx, found, who.Actor(), byMerchant, pendingOr(errResendWrongStep))
	return state, err
}

// ResendByPayer asks for the code again, for the holder of the payment's link.
// It counts as a resend by the merchant.
func (s *Service) ResendByPayer(ctx context.Context, token string) error {
	found, err := s.open(ctx, token, limit.CheckoutWrites)
	if err != nil {
		return err
	}
	_, _, err = s.resend(ctx, found, actorPayer, byMerchant, s.checkOpen)
	return err
}

// RequestResend asks for the code again, for the trader, and tells the
// merchant.
func (s *Service) RequestResend(ctx context.Context, who caller.Caller, id int64) (payment.Payment, error) {
	found, err := s.assigned(ctx, who, id)
	if err != nil {
		return found, err
	}
	p, _, err := s.resend(ctx, found, who.Actor(), byTrader, pendingOr(payment.ErrNotPending))
	return p, err
}

// pendingOr returns a check that gives the error if the payment has ended.
func pendingOr(closed error) func(payment.Payment) error {
	return func(p payment.Payment) error {
		if p.Ended() {
			return closed
		}
		return nil
	}
}

// resend asks for the code again. Its callers have found the payment for who
// asks; open judges it again under the lock, because it may have ended since.
// The acquirer is told by the next round of Poll, and the merchant by a webhook
// only if the trader asked.
func (s *Service) resend(
	ctx context.Context,
	found payment.Payment,
	actor, by string,
	open func(payment.Payment) error,
) (payment.Payment, State, error) {
	var state State
	p, err := s.Payments.WithLocked(ctx, found.MerchantID, found.ID, func(p *payment.Locked) error {
		if err := open(p.Payment); err != nil {
			return err
		}
		if p.Method != payment.MethodQuasiEcom {
			return errResendWrongStep
		}
		q, now := db.New(p.Tx), s.clock.Now()
		before, err := s.state(ctx, q, p.Payment)
		if err != nil {
			return err
		}
		if state, err = before.resent(by, now); err != nil {
			return err
		}
		resent := payment.Step(p.Payment, now, actor, payment.StepCodeResent, payment.StepDetail{By: by})
		if err := db.Pipeline(ctx, p.Tx, put(p.Payment, state), resent); err != nil {
			return err
		}
		// The next round of Poll tells the acquirer.
		soon := db.AttemptNudgeParams{MerchantID: p.MerchantID, ID: state.AttemptID, Soon: now}
		if err := q.AttemptNudge(ctx, soon); err != nil || by == byMerchant { // the merchant gets no webhook about its own resend
			return err
		}
		return tellResend(ctx, p, state, by)
	})
	return p, state, err
}
