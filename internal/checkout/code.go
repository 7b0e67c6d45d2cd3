package checkout

import (
	"context"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// SubmitCode takes the payer's SMS code and sends it to the acquirer at once,
// even before it was asked for. An empty code changes nothing; it is refused if
// a code was asked for.
func (s *Service) SubmitCode(ctx context.Context, token, otp string) (View, error) {
	return s.submitCode(ctx, token, otp, nil)
}

// SubmitCodeOnce is SubmitCode for a form with which the checkout was shown as
// it was then: a form that is sent twice counts once, however soon its code is
// rejected, and one of a declined card does not count for the next card.
func (s *Service) SubmitCodeOnce(ctx context.Context, token, otp string, shown State) (View, error) {
	return s.submitCode(ctx, token, otp, &shown)
}

func (s *Service) submitCode(ctx context.Context, token, otp string, shown *State) (View, error) {
	p, err := s.open(ctx, token, limit.CheckoutWrites)
	if err != nil {
		return View{}, err
	}
	state, err := s.state(ctx, s.q, p)
	if err != nil {
		return View{}, err
	}
	f := fault.Decoded(ctx)
	var code acquirer.Code
	if otp != "" || f.Wrong("otp") || state.Phase == AwaitingCode && s.checkOpen(p) == nil {
		code = acquirer.ParseCode(f, "otp", otp)
	}
	if err := f.Err(); err != nil {
		return View{}, err
	}
	if err := s.checkOpen(p); err != nil {
		return View{}, err
	}
	if otp == "" {
		return s.withoutCode(ctx, p, state)
	}
	attempt, err := s.beginCode(ctx, p, shown)
	if err != nil {
		return View{}, err
	}
	s.handOver(ctx, attempt, code)
	if p, err = s.Payments.ByUUID(ctx, p.UUID); err != nil {
		return View{}, err
	}
	return s.view(ctx, p)
}

func (s *Service) withoutCode(ctx context.Context, p payment.Payment, state State) (View, error) {
	if state.Phase == AwaitingDetails {
		return View{}, errWrongStep
	}
	return s.view(ctx, p)
}

// beginCode commits that a code is about to be sent to the acquirer. Of several
// codes at the same time the first wins. A code is refused if another card, or
// another number of wrong codes, was shown than there are by now; nil is any.
func (s *Service) beginCode(ctx context.Context, p payment.Payment, shown *State) (attempt db.CardAttempt, err error) {
	_, err = s.Payments.WithLocked(ctx, p.MerchantID, p.ID, func(p *payment.Locked) error {
		if err := s.checkOpen(p.Payment); err != nil {
			return err
		}
		q := db.New(p.Tx)
		state, err := s.state(ctx, q, p.Payment)
		if err != nil {
			return err
		}
		if shown != nil && (shown.Rejected != state.Rejected || shown.Declined != state.Declined) {
			return errWrongStep
		}
		if state, err = state.codeGiven(); err != nil {
			return err
		}
		attempt, err = q.AttemptGet(ctx, db.AttemptGetParams{MerchantID: p.MerchantID, ID: state.AttemptID})
		if err != nil {
			return err
		}
		now := s.clock.Now()
		attempt.CodesSent++
		attempt.Submitting, attempt.ProgressAt, attempt.PollAt = true, now, now.Add(callGrace)
		attempt.HandedAt = &now
		if err := putAttempt(ctx, q, attempt); err != nil {
			return err
		}
		return db.Pipeline(ctx, p.Tx, put(p.Payment, state),
			payment.Step(p.Payment, now, actorPayer, payment.StepCodeEntered, payment.StepDetail{}))
	})
	return attempt, err
}

// handOver sends the acquirer a code and applies its answer. Without an answer,
// Poll takes over.
func (s *Service) handOver(ctx context.Context, a db.CardAttempt, code acquirer.Code) {
	bounded, cancel := detached(ctx)
	defer cancel()
	to, err := s.Acquirers.Began(bounded, a.AcquirerID)
	var answer acquirer.Answer
	if err == nil {
		answer, err = to.SubmitCode(bounded, a.ID, a.CodesSent, code)
	}
	if err == nil {
		err = s.applyAnswer(context.WithoutCancel(ctx), key{a.MerchantID, a.PaymentID, a.ID, a.CodesSent}, answer, sent)
	}
	if err != nil {
		noAnswer(ctx, "code", a.ID, err)
		soon := db.AttemptSoonIfOpenParams{MerchantID: a.MerchantID, ID: a.ID, Soon: s.clock.Now()}
		_ = s.q.AttemptSoonIfOpen(context.WithoutCancel(ctx), soon) // if this fails, it is asked after callGrace
	}
}
