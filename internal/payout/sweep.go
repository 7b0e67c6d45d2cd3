package payout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

const (
	sweepBatch  = 500
	actorSystem = "system"
	// others is how long another replica is given to finish with a row.
	others = 20 * time.Millisecond
)

// Expire ends the payouts that nobody took in time, one a transaction, and reports how many. Replicas sweeping at the
// same time pass each other's rows by. One that fails is reported and left for the next sweep.
func (s *Service) Expire(ctx context.Context) (int, error) {
	now := s.clock.Now()
	due, err := s.q.PayinsExpired(ctx, db.PayinsExpiredParams{Now: now, Page: sweepBatch})
	if err != nil {
		return 0, fmt.Errorf("find expired payouts: %w", err)
	}
	count := 0
	var failed []error
	for _, row := range due {
		moved, err := s.expire(ctx, row, now)
		failed = append(failed, err)
		if moved {
			count++
		}
		if ctx.Err() != nil {
			break
		}
	}
	return count, errors.Join(failed...)
}

func (s *Service) expire(ctx context.Context, row db.PayinsExpiredRow, now time.Time) (moved bool, err error) {
	err = db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		p, err := q.PayinLockExpired(ctx, db.PayinLockExpiredParams{MerchantID: row.MerchantID, ID: row.ID, Now: now})
		if moved = err == nil; !moved {
			return db.IgnoreNoRows(err)
		}
		_, err = s.end(ctx, tx, p, change{to: Expired, actor: actorSystem})
		return err
	})
	return moved && err == nil, err
}

// ExpireAll expires until no waiting payout is overdue any more, those included that another replica is just expiring.
func (s *Service) ExpireAll(ctx context.Context) error {
	for {
		due, err := s.q.PayinsExpired(ctx, db.PayinsExpiredParams{Now: s.clock.Now(), Page: 1})
		if err != nil || len(due) == 0 {
			return err
		}
		moved, err := s.Expire(ctx)
		if err != nil {
			return err
		}
		if moved > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(others):
		}
	}
}
