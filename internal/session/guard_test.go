package session_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// tries gives a wrong password so often, each time from another address that the format makes.
func (o office) tries(t *testing.T, login, addresses string, times int) error {
	t.Helper()
	for n := range times {
		_, err := o.SignIn(ctx, session.Credentials{Login: login, Password: "wrong wrong wrong"},
			session.Origin{Address: fmt.Sprintf(addresses, n)})
		if f := fault.As(err); f == nil || f.Kind != fault.Unauthenticated {
			return err
		}
	}
	return nil
}

func (o office) from(t *testing.T, login string, from session.Origin) error {
	t.Helper()
	_, err := o.SignIn(ctx, typed(login, ""), from)
	return err
}

// Strangers who try a login lock nobody out who has signed in before: not from the address they did it from,
// and not in the browser they did it in. Others wait, whatever their address.
func TestStrangersLockNobodyOut(t *testing.T) {
	o, in, secret, _ := withRoot(t)
	in = testenv.Must(o.GiveFactor(ctx, in.Session, given(o.nextCode(t, secret))))(t)
	device := testenv.Must(o.NewDevice(in.Session))(t)
	testenv.NoError(t, o.tries(t, "root", "198.51.100.%d", 100))
	refused(t, o.from(t, "root", session.Origin{Address: "203.0.113.1"}), "rate_limited")
	testenv.NoError(t, o.from(t, "root", home))
	testenv.NoError(t, o.from(t, "root", session.Origin{Address: "203.0.113.1", Device: device}))
	// The browser of one user is no help with another's login, nor is one that nobody gave.
	o.add(t, caller.Operator, "other", nil, nil)
	testenv.NoError(t, o.tries(t, "other", "198.51.101.%d", 100))
	known := session.Origin{Address: "203.0.113.1", Device: device}
	forged := session.Origin{Address: "203.0.113.1", Device: device + "x"}
	refused(t, o.from(t, "other", known), "rate_limited")
	refused(t, o.from(t, "root", forged), "rate_limited")
	// Who is signed in goes on giving their factor.
	testenv.Must(o.GiveFactor(ctx, in.Session, given(o.nextCode(t, secret))))(t)
	// A known browser guesses no more often than any other.
	for range 10 {
		refused(t, testenv.ErrOf(o.SignIn(ctx, session.Credentials{Login: "root", Password: "wrong wrong wrong"},
			session.Origin{Address: "203.0.113.2", Device: device})), "invalid_credentials")
	}
	refused(t, o.from(t, "root", known), "rate_limited")
}

// Who has a whole network of IPv6 addresses has as many tries at a login as who has one address.
func TestNetworksAreCounted(t *testing.T) {
	o := newOffice(t)
	o.add(t, caller.Operator, "root", nil, nil)
	testenv.NoError(t, o.tries(t, "root", "2001:db8:1:%x::/64", 10))
	refused(t, o.tries(t, "root", "2001:db8:1:f%x::/64", 1), "rate_limited")
	testenv.NoError(t, o.from(t, "root", session.Origin{Address: "2001:db8:2:1::/64"}))
	for n := range 29 {
		testenv.NoError(t, o.tries(t, fmt.Sprintf("made-up-%d", n), "2001:db8:1:%x::/64", 10))
	}
	refused(t, o.tries(t, "made-up", "2001:db8:1:fff%x::/64", 1), "rate_limited")
}

// Another process has the same counts, and so has one that was started again.
func TestCountsAreShared(t *testing.T) {
	o := newOffice(t)
	o.add(t, caller.Operator, "root", nil, nil)
	for range 10 {
		refused(t, testenv.ErrOf(o.SignIn(ctx, session.Credentials{Login: "root", Password: "wrong wrong wrong"}, home)), "invalid_credentials")
	}
	limits := limit.New(o.Pool)
	testenv.NoError(t, limits.Load(ctx))
	other := testenv.Must(session.New(o.Pools(), dbtest.Vault(), limits, config))(t)
	other.At(o.now)
	refused(t, testenv.ErrOf(other.SignIn(ctx, typed("root", ""), home)), "rate_limited")
}

// Twenty wrong codes in a row lock the second factor, which the log of sign-ins says, until the user is
// invited anew. A right code ends a row.
func TestGuessedFactorIsLocked(t *testing.T) {
	o, _, secret, recovery := withRoot(t)
	wrong := func(times int) {
		t.Helper()
		for n := range times {
			refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", "00000x"),
				session.Origin{Address: fmt.Sprintf("198.51.100.%d", n)})), "invalid_credentials")
		}
	}
	wrong(19)
	o.signIn(t, "root", o.nextCode(t, secret))
	wrong(20)
	for _, code := range []string{o.nextCode(t, secret), recovery[0]} {
		refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", code), home)), "factor_locked")
	}
	n := o.Text(t, "select count(*) from sign_in_event where outcome = 'factor_locked'")
	testenv.Check(t, n == "1", "the log says %s times that it was locked", n)
	list, _ := testenv.Must2(o.Users(
		ctx, caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 99}, session.UserSearch{}))(t)
	testenv.Check(t, len(list) == 1 && list[0].FactorLockedAt != nil, "operators see %+v", list)
	testenv.NoError(t, o.Queries().UserForget(ctx, list[0].ID))
	testenv.Check(t, o.Text(t, "select count(*) from app_user where factor_locked_at is not null") == "0",
		"still locked after the reset")
}
