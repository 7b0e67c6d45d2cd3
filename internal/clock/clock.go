// Package clock is the one source of business time. SQL takes the time as a parameter, so that the
// sandbox's test clock moves everything together.
package clock

import (
	"sync/atomic"
	"time"
)

// Clock tells the time, in UTC with the milliseconds the contract shows.
type Clock interface {
	Now() time.Time
}

// Real is the wall clock.
type Real struct{}

// Now implements Clock.
func (Real) Now() time.Time { return round(time.Now()) }

// Offset is the wall clock moved forward by an offset that can only grow.
type Offset struct{ by atomic.Int64 }

// Now implements Clock.
func (o *Offset) Now() time.Time { return round(time.Now().Add(time.Duration(o.by.Load()))) }

// Ahead is how far the clock is ahead of the wall.
func (o *Offset) Ahead() time.Duration { return time.Duration(o.by.Load()) }

// Raise moves the clock forward to offset. An offset below the present one changes nothing: the
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
