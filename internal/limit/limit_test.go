package limit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/dbtest"
	"gateway/internal/fault"
	"gateway/internal/limit"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func setup(t *testing.T) (*dbtest.DB, *limit.Limits) {
	t.Helper()
	d := dbtest.New(t)
	limits := limit.New(d.Pool)
	if err := limits.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, limits
}

func TestTenFailuresThenWait(t *testing.T) {
	t.Parallel()
	_, limits := setup(t)
	for n := range 10 {
		if _, err := limits.Count(limit.LoginFailures, "eva"); err != nil {
			t.Fatalf("failure %d: %v", n+1, err)
		}
	}
	_, err := limits.Count(limit.LoginFailures, "eva")
	f := fault.As(err)
	// One more is allowed after 900 s / 10.
	if f == nil || f.Code != "rate_limited" || f.RetryAfter < 85*time.Second || f.RetryAfter > 90*time.Second {
		t.Fatalf("the 11th: %+v", f)
	}
	if _, err := limits.Count(limit.LoginFailures, "adam"); err != nil {
		t.Errorf("another login: %v", err)
	}
	if _, err := limits.Count(limit.AddressLoginFailures, "eva"); err != nil {
		t.Errorf("another rule: %v", err)
	}
}

func TestSuccessIsForgiven(t *testing.T) {
	t.Parallel()
	_, limits := setup(t)
	for n := range 50 {
		call, err := limits.Count(limit.LoginFailures, "eva")
		if err != nil {
			t.Fatalf("sign-in %d: %v", n+1, err)
		}
		time.Sleep(time.Millisecond)
		call.Forgive()
	}
}

func TestParallelCallsShareTheLimit(t *testing.T) {
	t.Parallel()
	_, limits := setup(t)
	var let atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := limits.Count(limit.LoginFailures, "eva"); err == nil {
				let.Add(1)
			}
		})
	}
	all.Wait()
	if let.Load() != 10 {
		t.Errorf("%d of 100 were let through, want 10", let.Load())
	}
}

// Configuration is read again; what has not changed keeps its count.
func TestReload(t *testing.T) {
	t.Parallel()
	d, limits := setup(t)
	for range 10 {
		if _, err := limits.Count(limit.LoginFailures, "eva"); err != nil {
			t.Fatal(err)
		}
	}
	reload := func() error {
		if err := limits.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := limits.Count(limit.LoginFailures, "eva")
		return err
	}
	if err := reload(); err == nil {
		t.Error("an unchanged rule forgot its count")
	}
	if _, err := d.Pool.Exec(t.Context(), "update rate_limit set calls = 11 where name = 'login_failures'"); err != nil {
		t.Fatal(err)
	}
	if err := reload(); err != nil {
		t.Errorf("a wider rule: %v", err)
	}
}

func TestWithoutConfigurationNothingIsBound(t *testing.T) {
	t.Parallel()
	limits := limit.New(nil)
	for range 10_000 {
		if _, err := limits.Count(limit.Key, "1"); err != nil {
			t.Fatal(err)
		}
	}
}
