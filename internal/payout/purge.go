package payout

import (
	"context"
	"time"

	"gateway.example/internal/db"
)

// PurgeProofs removes the files of proofs that were sent longer than keep ago.
// Names, types and sizes stay.
func (s *Service) PurgeProofs(ctx context.Context, keep time.Duration) error {
	now := s.clock.Now()
	before := now.Add(-keep)
	return db.Purge(ctx, s.pool, "payout_proof", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.PayoutProofPurge(ctx, db.PayoutProofPurgeParams{Before: before, Now: &now, Most: most})
		return db.Purged{Count: gone.Count, Bytes: gone.Bytes, First: gone.First, Last: gone.Last}, err
	})
}

// PurgeRequisites removes the whole requisites of payouts that ended longer
// than keep ago. Their last characters stay.
func (s *Service) PurgeRequisites(ctx context.Context, keep time.Duration) error {
	now := s.clock.Now()
	before := now.Add(-keep)
	return db.Purge(ctx, s.pool, "payout_requisite", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.PayoutRequisitePurge(ctx, db.PayoutRequisitePurgeParams{Before: before, Most: most})
		return db.Purged{Count: gone.Count, First: gone.First, Last: gone.Last}, err
	})
}
