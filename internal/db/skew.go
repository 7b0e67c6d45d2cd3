package db

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	// SkewNoticeable is how far a process's clock may be from the
	// database's without an alarm.
	SkewNoticeable = 2 * time.Second
	// SkewMost is how far it may be for the process to judge what has
	// expired.
	SkewMost = time.Minute
)

// Skew is the difference between a process's clock and the database's.
// Processes decide by their clocks when payments expire and days close: one
// that is far ahead would expire payments too early.
type Skew struct {
	now func() time.Time
	by  atomic.Int64
}

// NewSkew compares a clock of real time.
func NewSkew(now func() time.Time) *Skew { return &Skew{now: now} }

// By is how far the clock was ahead of the database's at the last look;
// negative is behind.
func (s *Skew) By() time.Duration { return time.Duration(s.by.Load()) }

// Noticeable reports whether somebody should look at the clock.
func (s *Skew) Noticeable() bool { return s.By().Abs() > SkewNoticeable }

// Wrong reports whether the clock is too wrong to judge by.
func (s *Skew) Wrong() bool { return s.By().Abs() > SkewMost }

// Watch compares the clocks. A difference that the round trip can explain does
// not count.
func (s *Skew) Watch(ctx context.Context, pool Pool) error {
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
	told, wrong := s.Noticeable(), s.Wrong()
	s.by.Store(int64(by))
	if s.Noticeable() != told || s.Wrong() != wrong {
		slog.WarnContext(ctx, "the clock is compared with the database's", "ahead", by.String(), "judges", !s.Wrong())
	}
	return nil
}
