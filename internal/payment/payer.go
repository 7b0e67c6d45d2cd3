package payment

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// actorPayer is who holds a payment's link.
const actorPayer = "payer"

// CancelByPayer cancels a pending payment for whoever holds its link. Of a payer who cancels and a trader who confirms
// one wins; the other is told payment_not_pending. The payer's steps close at the payment's expiry.
func (s *Service) CancelByPayer(ctx context.Context, id uuid.UUID) (Payment, error) {
	found, err := s.ByUUID(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	var after db.Payment
	err = s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		if Status(p.Status) != Pending || !s.clock.Now().Before(p.ExpiresAt) {
			return errNotPending
		}
		after, err = s.move(ctx, tx, p, change{to: Cancelled, actor: actorPayer})
		return err
	})
	return Payment{after}, err
}

// Expired reports whether the payment failed because nobody paid in time.
func (p Payment) Expired() bool {
	return Status(p.Status) == Failed && p.StatusReason != nil && *p.StatusReason == reasonExpired
}
