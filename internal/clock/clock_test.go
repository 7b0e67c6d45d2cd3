package clock_test

import (
	"sync"
	"testing"
	"time"

	"gateway.example/internal/clock"
	"gateway.example/internal/testenv"
)

func TestOffsetOnlyGrows(t *testing.T) {
	t.Parallel()
	var c clock.Offset
	c.Raise(time.Hour)
	c.Raise(time.Minute)
	if ahead := time.Until(c.Now()); ahead < time.Hour-time.Second || ahead > time.Hour {
		t.Fatalf("%s ahead, want an hour", ahead)
	}
}

func TestParallelRaisesKeepTheHighest(t *testing.T) {
	t.Parallel()
	var c clock.Offset
	var raises sync.WaitGroup
	for hours := range 50 {
		raises.Go(func() { c.Raise(time.Duration(hours) * time.Hour) })
	}
	raises.Wait()
	if ahead := time.Until(c.Now()); ahead < 49*time.Hour-time.Second || ahead > 49*time.Hour {
		t.Fatalf("%s ahead, want 49 hours", ahead)
	}
}

// What the contract shows has milliseconds and is UTC; what is stored must not be finer.
func TestMillisecondsInUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []clock.Clock{clock.Real{}, &clock.Offset{}} {
		now := c.Now()
		testenv.Check(t, now.Location() == time.UTC && now.Nanosecond()%int(time.Millisecond) == 0, "%T: %s", c, now)
	}
}

// A raise to less than nothing, as an overflow would make, moves nothing.
func TestRaiseBelowZero(t *testing.T) {
	t.Parallel()
	var c clock.Offset
	c.Raise(-time.Hour)
	if ahead := time.Until(c.Now()); ahead < -time.Second || ahead > 0 {
		t.Fatalf("%s ahead, want none", ahead)
	}
}
