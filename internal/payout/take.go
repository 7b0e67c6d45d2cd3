package payout

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
)

// A payout that a trader gave back is not offered to the trader again. These
// limit how far back, and how many payouts, are looked at.
const (
	givenBackFor  = 7 * 24 * time.Hour
	givenBackMost = 2000
)

// givenBack are the payouts that a trader gave back.
func (s *Service) givenBack(ctx context.Context, q *db.Queries, traderID int64) ([]int64, error) {
	list, err := q.TakesGivenBack(ctx, db.TakesGivenBackParams{
		TraderID: traderID, Since: s.clock.Now().Add(-givenBackFor), Page: givenBackMost,
	})
	if err != nil {
		return nil, fmt.Errorf("read what the trader gave back: %w", err)
	}
	return append([]int64{}, list...), nil
}

// gaveBack refuses a trader who gave the payout back before.
func gaveBack(ctx context.Context, q *db.Queries, traderID int64, p db.Payout) error {
	gaveBack, err := q.TakeWasGivenBack(ctx, db.TakeWasGivenBackParams{TraderID: traderID, PayoutID: p.ID})
	if err != nil {
		return fmt.Errorf("read whether the trader gave the payout back: %w", err)
	}
	if gaveBack {
		return fault.ErrNotFound
	}
	return nil
}

// mayTake refuses a trader who gave the payout back before, or who has taken
// too many in the last hour, because each shows them a recipient. The trader's
// row is locked, and the payout is counted.
func (s *Service) mayTake(ctx context.Context, q *db.Queries, traderID int64, p db.Payout) error {
	if err := gaveBack(ctx, q, traderID, p); err != nil {
		return err
	}
	bound, err := q.RateLimitGet(ctx, string(limit.TraderTakes))
	if err != nil {
		return fmt.Errorf("read the limit of takes: %w", err)
	}
	now, span := s.clock.Now(), time.Duration(bound.PerSeconds)*time.Second
	taken, err := q.TakesOf(ctx, db.TakesOfParams{TraderID: traderID, Since: now.Add(-span)})
	if err != nil {
		return fmt.Errorf("count what the trader took: %w", err)
	}
	if taken.Takes >= int64(bound.Calls) {
		return fault.RateLimited(max(taken.Oldest.Add(span).Sub(now), time.Second)).
			Saying("You have taken as many payouts as you may in an hour.")
	}
	return fault.Doing("note who takes the payout", q.TakePut(ctx, db.TakePutParams{TraderID: traderID, PayoutID: p.ID, At: now}))
}
