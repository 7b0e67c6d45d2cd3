package routing

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
)

// daysKept is how long the counts of a requisite's days are kept. Only the
// present day is used; the others are for people who want to see what a limit
// has counted.
const daysKept = 7 * 24 * time.Hour

// PruneDays deletes the counts of old days.
func PruneDays(ctx context.Context, q *db.Queries, now time.Time) error {
	if _, err := q.RequisiteDayPrune(ctx, now.Add(-daysKept)); err != nil {
		return fmt.Errorf("prune the days of requisites: %w", err)
	}
	return nil
}
