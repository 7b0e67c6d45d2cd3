package webhook

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// previousSigns is how long the secret before signs besides the new one.
const previousSigns = 24 * time.Hour

// RotateSecret makes the new signing secret of one of a merchant's cashboxes. It is shown here and never again. The one
// before signs besides until the time answered; the one before that no longer does.
func (s *Events) RotateSecret(ctx context.Context, who Asker, cashboxID int64) (string, time.Time, error) {
	if err := who.needMerchant(); err != nil {
		return "", time.Time{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return "", time.Time{}, err
	}
	until := s.clock.Now().Add(previousSigns)
	secret, sealed, err := SealSecret(s.vault, cashboxID)
	if err != nil {
		return "", time.Time{}, err
	}
	rotated, err := s.q.CashboxRotateWebhookSecret(ctx, db.CashboxRotateWebhookSecretParams{
		ID: cashboxID, MerchantID: who.MerchantID, WebhookSecret: sealed, PreviousUntil: until,
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("rotate webhook secret: %w", err)
	}
	if rotated == 0 {
		return "", time.Time{}, s.notTheirs(ctx, cashboxID)
	}
	return secret, until, nil
}

// notTheirs tells another merchant's cashbox from one that does not exist.
func (s *Events) notTheirs(ctx context.Context, cashboxID int64) error {
	_, err := s.q.CashboxOwner(ctx, cashboxID)
	switch {
	case err == nil:
		return fault.ErrCashboxAccessDenied
	case db.NoRows(err):
		return fault.ErrNotFound
	default:
		return fmt.Errorf("find cashbox: %w", err)
	}
}
