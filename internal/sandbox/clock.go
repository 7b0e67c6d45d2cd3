package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	// followEvery is how often a process reads the offset.
	followEvery = 100 * time.Millisecond
	// shiftAgain is the pause before deliveries that others are changing
	// are tried again.
	shiftAgain = 5 * time.Millisecond
	// maxOffset limits how far ahead the clock can be, so that durations do
	// not overflow.
	maxOffset = 100 * 365 * 24 * time.Hour
)

// Clock is the sandbox's clock: an offset in the database that every process
// follows.
type Clock struct {
	clock.Offset
	pool db.Pool
}

// NewClock reads the offset. The database must be seeded.
func NewClock(ctx context.Context, pool db.Pool) (*Clock, error) {
	c := &Clock{pool: pool}
	return c, c.read(ctx)
}

func (c *Clock) read(ctx context.Context) error {
	row, err := db.New(c.pool).TestClockGet(ctx)
	if err != nil {
		return fmt.Errorf("read the test clock: %w", err)
	}
	c.Raise(time.Duration(row.OffsetSeconds) * time.Second)
	return nil
}

// Follow keeps the clock at the database's offset until ctx ends.
func (c *Clock) Follow(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.read(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "test clock", "error", err)
			}
		}
	}
}

// Advance moves the clock of every process forward. Before that it moves the
// due times of deliveries, which use the database's clock. It returns once
// every process has had time to notice.
func (c *Clock) Advance(ctx context.Context, seconds int64) (time.Time, error) {
	f := fault.Decoded(ctx)
	left := int64((maxOffset - c.Ahead()) / time.Second)
	f.Check(seconds >= 0 && seconds <= left, "seconds", "must be between 0 and %d", left)
	if err := f.Err(); err != nil {
		return time.Time{}, err
	}
	q := db.New(c.pool)
	if err := shift(ctx, q, float64(seconds)); err != nil {
		return time.Time{}, fmt.Errorf("bring deliveries forward: %w", err)
	}
	offset, err := q.TestClockAdvance(ctx, seconds)
	if err != nil {
		return time.Time{}, fmt.Errorf("advance the test clock: %w", err)
	}
	c.Raise(time.Duration(offset) * time.Second)
	select {
	case <-ctx.Done():
	case <-time.After(3 * followEvery):
	}
	return c.Now(), nil
}

// shift moves the due times of waiting deliveries forward, each as soon as
// nobody is changing it, and wakes their endpoints.
func shift(ctx context.Context, q *db.Queries, seconds float64) error {
	left, err := q.WebhookWaiting(ctx, nil)
	for err == nil {
		ids := map[int64][]uuid.UUID{}
		for _, one := range left {
			ids[one.MerchantID] = append(ids[one.MerchantID], one.EventID)
		}
		if ids, err = shiftFree(ctx, q, ids, seconds); err != nil {
			break
		}
		var asleep int64
		if asleep, err = q.WebhookWake(ctx); err != nil || asleep == 0 && len(ids) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(shiftAgain):
		}
		// What was delivered meanwhile no longer waits. Without ids the
		// query would list the deliveries that were already moved.
		if left = nil; len(ids) > 0 {
			left, err = q.WebhookWaiting(ctx, slices.Concat(slices.Collect(maps.Values(ids))...))
		}
	}
	return err
}

// shiftFree moves the due times of merchants' deliveries that nobody is
// changing, and returns the others.
func shiftFree(ctx context.Context, q *db.Queries, ids map[int64][]uuid.UUID, seconds float64) (map[int64][]uuid.UUID, error) {
	left := map[int64][]uuid.UUID{}
	for merchant, waiting := range ids {
		shifted, err := q.WebhookShift(ctx, db.WebhookShiftParams{MerchantID: merchant, EventIds: waiting, Seconds: seconds})
		if err != nil {
			return nil, err
		}
		done := map[uuid.UUID]bool{}
		for _, id := range shifted {
			done[id] = true
		}
		waiting = slices.DeleteFunc(waiting, func(id uuid.UUID) bool { return done[id] })
		if len(waiting) > 0 {
			left[merchant] = waiting
		}
	}
	return left, nil
}
