package db

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gateway.example/internal/testenv"
)

// A row that fails is left out for longer each time, up to five minutes, until
// it does not fail.
func TestSweepPutsOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Sweep
		bad := errors.New("no")
		for _, wait := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second} {
			s.note(1, bad)
			s.note(2, nil)
			time.Sleep(wait - time.Millisecond)
			got := s.PutOff()
			testenv.Check(t, slices.Equal(got, []int64{1}), "just before %s: put off are %v", wait, got)
			time.Sleep(time.Millisecond)
			got = s.PutOff()
			testenv.Check(t, got != nil && len(got) == 0, "after %s: put off are %v", wait, got)
		}
		for range 10 {
			s.note(1, bad)
		}
		time.Sleep(5 * time.Minute)
		testenv.Want(t, len(s.PutOff()), 0, "after five minutes: put off")
		s.note(1, nil)
		s.note(1, bad)
		time.Sleep(2 * time.Second)
		testenv.Want(t, len(s.PutOff()), 0, "the first failure after a success: put off")
	})
}
