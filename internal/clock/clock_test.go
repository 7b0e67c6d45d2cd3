package clock_test

import (
	"sync"
	"testing"
	"time"

	"gateway.example/internal/clock"
	"gateway.example/internal/testenv"
)

// The highest raise counts, whatever comes after it. One to less than nothing,
// as an overflow would make, moves nothing.
func TestOffsetOnlyGrows(t *testing.T) {
	t.Parallel()
	for want, raises := range map[time.Duration][]time.Duration{
		time.Hour: {time.Hour, time.Minute}, 0: {-time.Hour},
	} {
		var c clock.Offset
		for _, to := range raises {
			c.Raise(to)
		}
		wantAhead(t, &c, want)
	}
}

func wantAhead(t *testing.T, c *clock.Offset, want time.Duration) {
	t.Helper()
	ahead := time.Until(c.Now())
	testenv.Check(t, ahead >= want-time.Second && ahead <= want, "%s ahead, want %s", ahead, want)
}

func TestParallelRaisesKeepTheHighest(t *testing.T) {
	t.Parallel()
	var c clock.Offset
	var raises sync.WaitGroup
	for hours := range 50 {
		raises.Go(func() { c.Raise(time.Duration(hours) * time.Hour) })
	}
	raises.Wait()
	wantAhead(t, &c, 49*time.Hour)
}

// What the contract shows has milliseconds and is UTC; what is stored must not
// be finer.
func TestMillisecondsInUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []clock.Clock{clock.Real{}, &clock.Offset{}} {
		now := c.Now()
		testenv.Check(t, now.Location() == time.UTC && now.Nanosecond()%int(time.Millisecond) == 0, "%T: %s", c, now)
	}
}
