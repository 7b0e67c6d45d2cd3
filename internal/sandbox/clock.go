package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	// followEvery is how often a process reads the offset.
	followEvery = 100 * time.Millisecond
	// maxOffset limits how far ahead the clock can be, so that durations do not overflow.
	maxOffset = 100 * 365 * 24 * time.Hour
)

// Clock is the sandbox's clock: an offset in the database that every process follows.
type Clock struct {
	clock.Offset
	pool *pgxpool.Pool
}

// NewClock reads the offset. The database must be seeded.
func NewClock(ctx context.Context, pool *pgxpool.Pool) (*Clock, error) {
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

// Advance moves the clock of every process forward, and the due times of deliveries with it, which
// use the database's clock. It returns once every process has had time to notice.
func (c *Clock) Advance(ctx context.Context, seconds int64) (time.Time, error) {
	f := fault.Decoded(ctx)
	left := int64((maxOffset - c.Ahead()) / time.Second)
	f.Check(seconds >= 0 && seconds <= left, "seconds", "must be between 0 and %d", left)
	if err := f.Err(); err != nil {
		return time.Time{}, err
	}
	var offset int64
	err := db.Write(ctx, c.pool,
		db.Sure(&offset, (*db.Queries).TestClockAdvance, seconds),
		db.Do((*db.Queries).WebhookShift, float64(seconds)),
	)
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
