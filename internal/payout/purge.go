package payout

import (
	"context"
	"time"

	"gateway.example/internal/db"
)

// PurgeRequisites removes the whole requisites of payouts that ended before the time to keep. Their
// last characters stay.
func (s *Service) PurgeRequisites(ctx context.Context, keep time.Duration) error {
	now := s.clock.Now()
	before := now.Add(-keep)
	return db.Purge(ctx, s.pool, "payout_requisite", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.PayinRequisitePurge(ctx, db.PayinRequisitePurgeParams{Before: before, Most: most})
		return db.Purged{Count: gone.Count, First: gone.First, Last: gone.Last}, err
	})
}
