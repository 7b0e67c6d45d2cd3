package db

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// SkewTold is by how much a process's clock may differ from the database's without anybody being told.
	SkewTold = 2 * time.Second
	// SkewMost is by how much it may differ for the process to judge what has expired.
	SkewMost = time.Minute
)

// Skew is by how much a process's clock differs from the database's. Payments expire and days are
// closed by the clocks of processes: one that is far ahead would end what its payers still have time for.
type Skew struct {
	now func() time.Time
	by  atomic.Int64
}

// NewSkew compares a clock that shows the real time.
func NewSkew(now func() time.Time) *Skew { return &Skew{now: now} }

// By is how far the clock was ahead of the database's when it was last looked at; less than nothing is behind.
func (s *Skew) By() time.Duration { return time.Duration(s.by.Load()) }

// Told reports whether somebody should look at the clock, and Wrong whether it is too wrong to judge by.
func (s *Skew) Told() bool { return s.By().Abs() > SkewTold }

// Wrong is said of with Told.
func (s *Skew) Wrong() bool { return s.By().Abs() > SkewMost }

// Watch compares the clocks. What the way to the database and back can explain is no difference.
func (s *Skew) Watch(ctx context.Context, pool *pgxpool.Pool) error {
	before := s.now()
	there, err := New(pool).ClockNow(ctx)
	if err != nil {
		return fmt.Errorf("ask for the time: %w", err)
	}
	after := s.now()
	by := time.Duration(0)
	if ahead := before.Sub(there); ahead > 0 {
		by = ahead
	} else if behind := there.Sub(after); behind > 0 {
		by = -behind
	}
	told, wrong := s.Told(), s.Wrong()
	s.by.Store(int64(by))
	if s.Told() != told || s.Wrong() != wrong {
		slog.WarnContext(ctx, "the clock is compared with the database's", "ahead", by.String(), "judges", !s.Wrong())
	}
	return nil
}
