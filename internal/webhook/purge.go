package webhook

import (
	"context"
	"time"

	"gateway.example/internal/db"
)

// PurgeAttempts removes the attempts of months that ended longer than keep ago.
// The events and their results stay.
func PurgeAttempts(ctx context.Context, pool db.Pool, now time.Time, keep time.Duration) error {
	const what = "webhook_attempt"
	before := now.Add(-keep)
	if err := db.DropMonths(ctx, pool, what, now, before); err != nil {
		return err
	}
	return db.Purge(ctx, pool, what, now, before, func(q *db.Queries, _ int32) (db.Purged, error) {
		gone, err := q.WebhookAttemptPurge(ctx, before)
		return db.Purged{Count: gone.Count, First: gone.First, Last: gone.Last}, err
	})
}
