package payment

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gateway.example/internal/db"
)

const (
	// idsAtOnce is how many ids are taken from the database at a time.
	idsAtOnce = 100
	// idsKeptFor is how long ids are kept before use. So a payment with a
	// higher id may be older by that much.
	idsKeptFor = time.Second
)

// ids hands out the ids of new payments from memory, so that inserting a
// payment needs no query for its id.
type ids struct {
	q *db.Queries

	mu      sync.Mutex
	left    []int64
	takenAt time.Time
}

// next returns an id that no other payment gets, in this process or another.
// Ids that were taken and not used within idsKeptFor, or before a crash, are
// lost, so ids have gaps.
func (i *ids) next(ctx context.Context) (int64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.left) == 0 || time.Since(i.takenAt) > idsKeptFor {
		now := time.Now()
		fresh, err := i.q.PaymentIDs(ctx, idsAtOnce)
		if err != nil {
			return 0, fmt.Errorf("take payment ids: %w", err)
		}
		i.left, i.takenAt = fresh, now
	}
	id := i.left[0]
	i.left = i.left[1:]
	return id, nil
}
