package payment

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/webhook"
)

// actorPayer is the actor in the history when the holder of a payment's link
// acts.
const actorPayer = "payer"

// CancelByPayer cancels a pending payment for the holder of its link. If a
// payer cancels while a trader confirms, one wins and the other gets
// payment_not_pending. After the payment's expiry a payer can do nothing, and
// once a part of the amount has arrived the payment cannot be cancelled.
func (s *Service) CancelByPayer(ctx context.Context, id uuid.UUID) (Payment, error) {
	found, err := s.findByUUID(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	after, err := s.changeStatus(ctx, found, func(_ *db.Queries, p db.Payment) (*change, error) {
		switch {
		case !s.FromRow(p).OpenToPayer(s.clock.Now()):
			return nil, ErrNotPending
		case counted(p).IsPositive():
			return nil, ErrPartCame
		}
		return &change{to: Cancelled, actor: actorPayer}, nil
	})
	return s.FromRow(after), err
}

// Claim stores that the payer says they have paid. The first time, it extends
// the payment's expiry, if necessary, to the time from now that the cashbox's
// method sets, so that the transfer can still arrive, and merchants who want it
// get an event. Repeating the call changes nothing.
func (s *Service) Claim(ctx context.Context, id uuid.UUID) (Payment, error) {
	found, err := s.findByUUID(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	if cardCheckout(found) {
		return Payment{}, fault.ErrNotFound
	}
	return s.WithLocked(ctx, found.MerchantID, found.ID, func(p *Locked) error {
		now := s.clock.Now()
		switch {
		case p.ClaimedAt != nil:
			return nil
		case !p.OpenToPayer(now):
			return ErrNotPending
		}
		after, err := db.New(p.Tx).PaymentClaim(ctx, db.PaymentClaimParams{
			MerchantID: p.MerchantID, ID: p.ID, Now: now, Until: now.Add(s.settings.Patience(p.CashboxID, p.Method)),
		})
		if err != nil {
			return fmt.Errorf("note that the payer has paid: %w", err)
		}
		p.update(after)
		if !s.settings.PayerEvents(p.CashboxID) {
			return nil
		}
		return p.QueueEvent(ctx, typePayerClaimed, now, webhook.Contents{Data: dataOf(after)})
	})
}

// CheckAsked tells the holder of the link whether the merchant has appealed the
// payment that failed, or of which another amount has come since. An appeal has
// ended where the money goes back to the payer.
func (s *Service) CheckAsked(ctx context.Context, p Payment) (bool, error) {
	if p.Status != Failed && !p.Case() || p.Returned() {
		return false, nil
	}
	asked, err := s.q.AppealExists(ctx, db.AppealExistsParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	return asked, fault.Doing("look for an appeal", err)
}

// Expired reports whether the payment failed because nobody paid in time.
func (p Payment) Expired() bool {
	return p.Status == Failed && p.StatusReason != nil && *p.StatusReason == reasonExpired
}
