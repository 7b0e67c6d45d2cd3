package payment

import (
	"context"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

// actorPayer is who holds a payment's link.
const actorPayer = "payer"

// CancelByPayer cancels a pending payment for whoever holds its link. Of a payer who cancels and a
// trader who confirms one wins; the other is told payment_not_pending. The payer's steps close at
// the payment's expiry.
func (s *Service) CancelByPayer(ctx context.Context, id uuid.UUID) (Payment, error) {
	found, err := s.findByUUID(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	after, err := s.carry(ctx, found, func(p db.Payment) (*change, error) {
		if !fromRow(p).OpenToPayer(s.clock.Now()) {
			return nil, ErrNotPending
		}
		return &change{to: Cancelled, actor: actorPayer}, nil
	})
	return fromRow(after), err
}

// Expired reports whether the payment failed because nobody paid in time.
func (p Payment) Expired() bool {
	return p.Status == Failed && p.StatusReason != nil && *p.StatusReason == reasonExpired
}
