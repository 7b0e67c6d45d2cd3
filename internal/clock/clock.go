// Package clock has the clock of the business, and calculates when days of a
// zone begin. SQL takes the time as a parameter, so that a sandbox's clock
// moves everything together.
package clock

import (
	"sync/atomic"
	"time"
)

// Clock tells the time in UTC, to the millisecond.
type Clock interface {
	Now() time.Time
}

// Real is real time.
type Real struct{}

// Now implements Clock.
func (Real) Now() time.Time { return round(time.Now()) }

// Offset is real time plus an offset that only grows.
type Offset struct{ by atomic.Int64 }

// Now implements Clock.
func (o *Offset) Now() time.Time { return round(time.Now().Add(time.Duration(o.by.Load()))) }

// Ahead is how far the clock is ahead of real time.
func (o *Offset) Ahead() time.Duration { return time.Duration(o.by.Load()) }

// Raise sets the offset. A smaller one than the present changes nothing: the
// clock never goes back.
func (o *Offset) Raise(offset time.Duration) {
	for {
		now := o.by.Load()
		if int64(offset) <= now || o.by.CompareAndSwap(now, int64(offset)) {
			return
		}
	}
}

func round(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
