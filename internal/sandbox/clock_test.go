package sandbox

import (
	"context"
	"testing"
	"time"

	"gateway/internal/fault"
)

// insertJob queues a job that is due in an hour and returns its id.
func (s seeded) insertJob(t *testing.T, state string) int64 {
	t.Helper()
	var id int64
	noError(t, s.Pool.QueryRow(t.Context(), `insert into river_job (kind, args, max_attempts, state, scheduled_at, finalized_at)
		values ('test', '{}', 3, $1::river_job_state, now() + interval '1 hour', case when $1 = 'completed' then now() end)
		returning id`, state).Scan(&id))
	return id
}

func (s seeded) dueIn(t *testing.T, job int64) time.Duration {
	t.Helper()
	var at time.Time
	noError(t, s.Pool.QueryRow(t.Context(), "select scheduled_at from river_job where id = $1", job).Scan(&at))
	return time.Until(at)
}

func near(got, want time.Duration) bool { return (got - want).Abs() < 20*time.Second }

// Advancing moves the clock and brings waiting jobs as much closer, since the queue keeps real time.
func TestAdvance(t *testing.T) {
	t.Parallel()
	s := seed(t)
	c, err := NewClock(t.Context(), s.Pool)
	noError(t, err)
	if ahead := time.Until(c.Now()); !near(ahead, 0) {
		t.Fatalf("a new clock is %s ahead", ahead)
	}
	waiting, completed := s.insertJob(t, "retryable"), s.insertJob(t, "completed")
	now, err := c.Advance(t.Context(), 1800)
	noError(t, err)
	if ahead := time.Until(now); !near(ahead, 30*time.Minute) {
		t.Errorf("%s ahead", ahead)
	}
	if due := s.dueIn(t, waiting); !near(due, 30*time.Minute) {
		t.Errorf("the waiting job is due in %s", due)
	}
	if due := s.dueIn(t, completed); !near(due, time.Hour) {
		t.Errorf("a job that has run was moved to %s", due)
	}
	// Steps add up, and none is a step too.
	for _, seconds := range []int64{0, 600} {
		now, err = c.Advance(t.Context(), seconds)
		noError(t, err)
	}
	if ahead := time.Until(now); !near(ahead, 40*time.Minute) {
		t.Errorf("%s ahead after three steps", ahead)
	}
}

func TestAdvanceRefused(t *testing.T) {
	t.Parallel()
	s := seed(t)
	c, err := NewClock(t.Context(), s.Pool)
	noError(t, err)
	for _, seconds := range []int64{-1, -1 << 63, 1<<63 - 1, 3_153_600_001} {
		_, err := c.Advance(t.Context(), seconds)
		if f := fault.As(err); f == nil || f.Kind != fault.Invalid || f.Fields["seconds"] == nil {
			t.Errorf("%d seconds: %v", seconds, err)
		}
	}
	if ahead := time.Until(c.Now()); !near(ahead, 0) {
		t.Errorf("a refused step moved the clock by %s", ahead)
	}
}

// Replicas follow, and a start finds the clock where it was left. Advance answers once the replicas had time to notice.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := seed(t)
	c, err := NewClock(t.Context(), s.Pool)
	noError(t, err)
	replica, err := NewClock(t.Context(), s.Pool)
	noError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		replica.Follow(ctx)
	}()
	_, err = c.Advance(t.Context(), 86_400)
	noError(t, err)
	deadline := time.Now().Add(10 * time.Second)
	for !near(time.Until(replica.Now()), 24*time.Hour) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if ahead := time.Until(replica.Now()); !near(ahead, 24*time.Hour) {
		t.Errorf("the replica is %s ahead", ahead)
	}
	stop()
	<-followed
	later, err := NewClock(t.Context(), s.Pool)
	noError(t, err)
	if ahead := time.Until(later.Now()); !near(ahead, 24*time.Hour) {
		t.Errorf("after a start the clock is %s ahead", ahead)
	}
}

// However often it is advanced, the clock never gets further than its offset can be counted.
func TestAdvanceHasAnEnd(t *testing.T) {
	t.Parallel()
	s := seed(t)
	c, err := NewClock(t.Context(), s.Pool)
	noError(t, err)
	const century = 100 * 365 * 24 * 3600
	if _, err := c.Advance(t.Context(), century); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Advance(t.Context(), 1); fault.As(err) == nil || !fault.As(err).Fields.Wrong("seconds") {
		t.Errorf("a second more than a century: %v", err)
	}
	if ahead := c.Ahead(); ahead != century*time.Second {
		t.Errorf("%s ahead", ahead)
	}
}
