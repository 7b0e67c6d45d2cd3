package payment

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/webhook"
)

// actorPayer is the actor for the holder of a payment's link.
const actorPayer = "payer"

// CancelByPayer cancels a pending payment for the holder of its link. If a payer cancels while a
// trader confirms, one wins and the other gets payment_not_pending. A payer can do nothing after the
// payment's expiry, and not cancel it once a part of it has come.
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

// Claim notes that the payer says they have paid. The first time, the payment's expiry moves to at
// least as long from now as its cashbox's method says, so that the transfer can still arrive, and a
// merchant who wants it gets an event. Repeating it changes nothing.
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

// CheckAsked reports to the holder of the link whether the merchant has appealed a failed payment.
func (s *Service) CheckAsked(ctx context.Context, p Payment) (bool, error) {
	if p.Status != Failed {
		return false, nil
	}
	asked, err := s.q.AppealExists(ctx, db.AppealExistsParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	return asked, fault.Doing("look for an appeal", err)
}

// Expired reports whether the payment failed because nobody paid in time.
func (p Payment) Expired() bool {
	return p.Status == Failed && p.StatusReason != nil && *p.StatusReason == reasonExpired
}
