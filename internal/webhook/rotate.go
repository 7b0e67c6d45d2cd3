package webhook

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/webhook/signing"
)

// previousSigns is how long an older secret signs beside the new one.
//
//rule:how long a former webhook secret still signs
const previousSigns = 24 * time.Hour

// maxPrevious limits how many older secrets sign an event. While there are so
// many, a further rotation is refused.
const maxPrevious = 10

// RotateSecret makes a new signing secret for a merchant's cashbox, which is
// shown here and never again. The old secret also signs until the returned
// time, and still older ones until their own times. So a merchant who calls
// again because the first answer was lost can still verify events. After a
// leak, receivers stop accepting the old secret themselves; then it does no
// harm that it still signs for a while.
func (s *Events) RotateSecret(ctx context.Context, who caller.Caller, cashboxID int64) (string, time.Time, error) {
	if err := who.Admit(ctx, caller.MerchantKeys); err != nil {
		return "", time.Time{}, err
	}
	now := s.clock.Now()
	until := now.Add(previousSigns)
	secret := signing.NewSecret()
	sealed := signing.SealSecret(s.vault, cashboxID, secret)
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		before, err := q.CashboxWebhookSecret(ctx, db.CashboxWebhookSecretParams{ID: cashboxID, MerchantID: who.MerchantID})
		if db.NoRows(err) {
			return s.notTheirs(ctx, q, cashboxID)
		}
		if err != nil {
			return fmt.Errorf("read webhook secret: %w", err)
		}
		if err := keepPrevious(ctx, q, cashboxID, before, now); err != nil {
			return err
		}
		err = q.CashboxSetWebhookSecret(ctx, db.CashboxSetWebhookSecretParams{ID: cashboxID, WebhookSecret: sealed})
		if err != nil {
			return err
		}
		return db.RecordSetting(ctx, q, db.SettingChange{
			At: now, Actor: who.Actor(), Subject: "webhook_secret", SubjectKey: strconv.FormatInt(cashboxID, 10),
			After: fmt.Appendf(nil, `{"previousSignsUntil": %q}`, until.UTC().Format(time.RFC3339)),
		})
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("rotate webhook secret: %w", err)
	}
	return secret, until, nil
}

// keepPrevious stores the replaced secret, if there was one.
func keepPrevious(ctx context.Context, q *db.Queries, cashboxID int64, sealed []byte, now time.Time) error {
	err := q.WebhookSecretPreviousPrune(ctx, db.WebhookSecretPreviousPruneParams{CashboxID: cashboxID, Now: now})
	if err != nil || len(sealed) == 0 {
		return err
	}
	ends, err := q.WebhookSecretPreviousList(ctx, cashboxID)
	if err != nil {
		return err
	}
	if len(ends) >= maxPrevious {
		return fault.RateLimited(ends[0].Sub(now)).
			Saying(fmt.Sprintf("%d secrets before the newest still sign.", maxPrevious))
	}
	return q.WebhookSecretPreviousInsert(ctx, db.WebhookSecretPreviousInsertParams{
		CashboxID: cashboxID, Secret: sealed, Until: now.Add(previousSigns),
	})
}

// notTheirs returns a different error for another merchant's cashbox than for
// one that does not exist.
func (*Events) notTheirs(ctx context.Context, q *db.Queries, cashboxID int64) error {
	_, err := q.CashboxOwner(ctx, cashboxID)
	switch {
	case err == nil:
		return fault.ErrCashboxAccessDenied
	case db.NoRows(err):
		return fault.ErrNotFound
	default:
		return fmt.Errorf("find cashbox: %w", err)
	}
}
