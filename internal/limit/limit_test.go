package limit_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// setup has the test run beside others.
func setup(t *testing.T) (*dbtest.DB, *limit.Limits) {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	limits := limit.New(d.Pool)
	testenv.NoError(t, limits.Load(t.Context()))
	return d, limits
}

// counted is what becomes of one more failure of a login.
func counted(limits *limit.Limits, login string) error {
	_, err := limits.Count(limit.LoginAddressFailures, login)
	return err
}

func TestTenFailuresThenWait(t *testing.T) {
	_, limits := setup(t)
	for n := range 10 {
		if err := counted(limits, "eva"); err != nil {
			t.Fatalf("failure %d: %v", n+1, err)
		}
	}
	f := fault.As(counted(limits, "eva"))
	// One more is allowed after 900 s / 10.
	testenv.Need(t, f != nil && f.Code == "rate_limited" && f.RetryAfter >= 85*time.Second &&
		f.RetryAfter <= 90*time.Second, "the 11th: %+v", f)
	testenv.NoError(t, counted(limits, "adam"))
	testenv.Must(limits.Count(limit.AddressLoginFailures, "eva"))(t) // another rule
}

func TestSuccessIsForgiven(t *testing.T) {
	_, limits := setup(t)
	for n := range 50 {
		call, err := limits.Count(limit.LoginAddressFailures, "eva")
		testenv.Need(t, err == nil, "sign-in %d: %v", n+1, err)
		time.Sleep(time.Millisecond)
		call.Forgive()
	}
}

// However late it is forgiven, and however many came since, a call gives back
// exactly what it took.
func TestForgivenLate(t *testing.T) {
	_, limits := setup(t)
	const rule, calls = limit.AddressWrites, 600 // ten a second come back by themselves
	var first limit.Call
	for n := range calls {
		call, err := limits.Count(rule, "eva")
		testenv.Need(t, err == nil, "call %d: %v", n+1, err)
		if n == 0 {
			first = call
			time.Sleep(300 * time.Millisecond)
		}
	}
	for {
		if _, err := limits.Count(rule, "eva"); err != nil {
			break
		}
	}
	first.Forgive()
	_, err := limits.Count(rule, "eva")
	testenv.Check(t, err == nil, "forgiven, and yet: %v", err)
	// Nor does anybody gain more than the whole allowance by it.
	for range 5 {
		testenv.Must(limits.Count(limit.LoginAddressFailures, "adam"))(t).Forgive()
	}
	let := 0
	for range 20 {
		if counted(limits, "adam") == nil {
			let++
		}
	}
	testenv.Want(t, let, 10, "were let through")
}

func TestParallelCallsShareTheLimit(t *testing.T) {
	_, limits := setup(t)
	let := 0
	for _, err := range testenv.AtOnce(100, func(int) error { return counted(limits, "eva") }) {
		if err == nil {
			let++
		}
	}
	testenv.Want(t, let, 10, "of 100, let through")
}

// Configuration is read again; what has not changed keeps its count.
func TestReload(t *testing.T) {
	d, limits := setup(t)
	for range 10 {
		testenv.NoError(t, counted(limits, "eva"))
	}
	reload := func() error {
		testenv.NoError(t, limits.Load(t.Context()))
		return counted(limits, "eva")
	}
	testenv.Check(t, reload() != nil, "an unchanged rule forgot its count")
	d.Exec(t, "update rate_limit set calls = 11 where name = 'login_address_failures'")
	testenv.NoError(t, reload())
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:4711": "192.0.2.1", "192.0.2.1": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1",
		"[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64",
		"pipe": "pipe",
	} {
		testenv.Want(t, limit.Address(remote), want, "%s", remote)
	}
}

// A name of any length is counted, and only its beginning is kept.
func TestLongCaller(t *testing.T) {
	_, limits := setup(t)
	long := strings.Repeat("x", 60_000)
	for n := range 10 {
		testenv.NoError(t, counted(limits, long+strconv.Itoa(n)))
	}
	testenv.Check(t, fault.As(counted(limits, long)) != nil, "more than its beginning is kept")
}

// However many callers come, one who goes on calling is not forgotten.
func TestOthersDoNotWipeACount(t *testing.T) {
	d, limits := setup(t)
	now := time.Now().Truncate(time.Millisecond)
	for n := range 100 {
		if _, err := limits.Fail(t.Context(), limit.LoginFailures, "eva", now); err != nil {
			t.Fatalf("failure %d: %v", n+1, err)
		}
	}
	testenv.Must(d.Pool.Exec(t.Context(), `insert into failure_count (counted, free_at, each_seconds)
		select sha256(n::text::bytea), now() + interval '9 seconds', 9 from generate_series(1, 20001) n`))(t)
	again := limit.New(d.Pool) // another process, or this one after a restart
	testenv.NoError(t, again.Load(t.Context()))
	_, err := again.Fail(t.Context(), limit.LoginFailures, "eva", now)
	f := fault.As(err)
	testenv.Check(t, f != nil && f.RetryAfter == 9*time.Second, "her failures were forgotten: %v", err)
	failure := testenv.Must(again.Fail(t.Context(), limit.LoginFailures, "eva", now.Add(9*time.Second)))(t)
	testenv.NoError(t, failure.Forgive(t.Context()))
	_, err = again.Fail(t.Context(), limit.LoginFailures, "eva", now.Add(9*time.Second))
	testenv.Check(t, err == nil, "what was forgiven counts: %v", err)
}

func TestWithoutConfigurationNothingIsBound(t *testing.T) {
	t.Parallel()
	limits := limit.New(nil)
	for range 10_000 {
		testenv.Must(limits.Count(limit.Key, "1"))(t)
	}
}
