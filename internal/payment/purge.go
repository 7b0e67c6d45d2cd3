package payment

import (
	"context"
	"time"

	"gateway.example/internal/db"
)

// PurgeFiles removes the files of appeals that were decided before the time to keep, and the receipts
// of payments that ended before it. Names, types and sizes stay.
func (s *Service) PurgeFiles(ctx context.Context, keep time.Duration) error {
	now := s.clock.Now()
	before := now.Add(-keep)
	err := db.Purge(ctx, s.pool, "appeal_file", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.AppealFilePurge(ctx, db.AppealFilePurgeParams{Before: before, Now: &now, Most: most})
		return db.Purged{Count: gone.Count, Bytes: gone.Bytes, First: gone.First, Last: gone.Last}, err
	})
	if err != nil {
		return err
	}
	return db.Purge(ctx, s.pool, "receipt", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.ReceiptPurge(ctx, db.ReceiptPurgeParams{Before: before, Now: &now, Most: most})
		return db.Purged{Count: gone.Count, Bytes: gone.Bytes, First: gone.First, Last: gone.Last}, err
	})
}
