package session_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

const password = "correct horse battery"

// people is the room's service and the means to make users.
type people struct {
	*dbtest.DB
	*session.Service
}

// newPeople has the test run beside others.
func newPeople(t testing.TB) people {
	t.Helper()
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	d := dbtest.New(t)
	users := testenv.Must(session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), config))(t)
	p := people{DB: d, Service: users}
	p.bystander(t)
	return p
}

func (p people) add(t testing.TB, kind caller.Kind, login string, merchantID, traderID *int64) int64 {
	t.Helper()
	hash := testenv.Must(session.HashPassword(password))(t)
	user := session.NewUser{Kind: kind, Login: login, MerchantID: merchantID, TraderID: traderID}
	return testenv.Must(session.InsertUser(ctx, p.Queries(), user, hash, dbtest.Start))(t)
}

// secondFactor sets up a TOTP secret for the user and returns it.
func (p people) secondFactor(t *testing.T, userID int64) string {
	t.Helper()
	key := testenv.Must(totp.Generate(totp.GenerateOpts{Issuer: "gateway", AccountName: "user"}))(t)
	sealed := dbtest.Vault().Seal([]byte(key.Secret()), vault.Place{Table: "app_user", Column: "totp_secret", Row: userID})
	p.Exec(t, "update app_user set totp_secret = $2 where id = $1", userID, sealed)
	return key.Secret()
}

func TestLogin(t *testing.T) {
	p := newPeople(t)
	m, trader := p.NewMerchant(t, dbtest.MerchantOpts{}), p.NewTrader(t, dbtest.TraderOpts{})
	for _, test := range []struct {
		kind                 caller.Kind
		merchantID, traderID int64
	}{{caller.Cabinet, 0, 0}, {caller.MerchantPortal, m.ID, 0}, {caller.Trader, 0, trader.ID}, {caller.Operator, 0, 0}} {
		login := "the " + string(test.kind)
		id := p.add(t, test.kind, login, unlessZero(test.merchantID), unlessZero(test.traderID))
		token := testenv.Must(p.Login(ctx, typed(login, ""), home))(t)
		life := time.Until(token.ExpiresAt)
		testenv.Check(t, token.Kind == test.kind && life >= time.Hour && life <= 24*time.Hour, "%s: a token of kind %s for %s", test.kind, token.Kind, life)
		who := testenv.Must(p.Bearer(ctx, "Bearer "+token.Bearer))(t)
		testenv.Check(t, who.Kind == test.kind && who.ID == id && who.Login == login && who.MerchantID == test.merchantID &&
			who.TraderID == test.traderID, "%s: caller %+v", test.kind, who)
	}
}

func unlessZero(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func TestLoginRefused(t *testing.T) {
	p := newPeople(t)
	p.add(t, caller.Operator, "operator", nil, nil)
	answers := map[string]bool{}
	for name, c := range map[string]session.Credentials{
		"wrong password":  {Login: "operator", Password: "wrong"},
		"unknown login":   {Login: "nobody", Password: password},
		"other case":      {Login: "Operator", Password: password},
		"password in pad": {Login: "operator", Password: password + " "},
		"long password":   {Login: "operator", Password: strings.Repeat("x", 1<<16)},
	} {
		token, err := p.Login(ctx, c, home)
		refused(t, err, "invalid_credentials")
		testenv.Want(t, token, (session.Token{}), "%s: got a token", name)
		answers[err.Error()] = true
	}
	// Nobody may learn which logins exist.
	testenv.Want(t, len(answers), 1, "answers differ: %v", answers)
	_, err := p.Login(ctx, session.Credentials{}, home)
	f := fault.As(err)
	testenv.Check(t, f != nil && f.Code == "validation_failed" && f.Fields["login"] != nil &&
		f.Fields["password"] != nil, "nothing given: %v", err)
}

func TestSecondFactor(t *testing.T) {
	p := newPeople(t)
	secret := p.secondFactor(t, p.add(t, caller.Operator, "operator", nil, nil))
	code := func(at time.Time) string { return testenv.Must(totp.GenerateCode(secret, at))(t) }
	for name, given := range map[string]string{
		"wrong": "abcdef", "another": "000000x", "an hour old": code(time.Now().Add(-time.Hour)), "short": code(time.Now())[:5],
	} {
		t.Log(name)
		refused(t, testenv.ErrOf(p.Login(ctx, typed("operator", given), home)), "invalid_credentials")
	}
	refused(t, testenv.ErrOf(p.Login(ctx, session.Credentials{Login: "operator", Password: "wrong", Code: code(time.Now())},
		home)), "invalid_credentials")
	testenv.Must(p.Login(ctx, typed("operator", code(time.Now())), home))(t)
	// Another user's sealed secret, put into this row, must not open.
	other := p.add(t, caller.Operator, "other", nil, nil)
	p.Exec(t,
		"update app_user set totp_secret = (select totp_secret from app_user where login = 'operator') where id = $1",
		other)
	_, err := p.Login(ctx, typed("other", code(time.Now())), home)
	testenv.Check(t, err != nil && fault.As(err) == nil, "with a copied secret: %v", err)
}

func TestPrune(t *testing.T) {
	p := newPeople(t)
	id := p.add(t, caller.Operator, "operator", nil, nil)
	for token, expires := range map[string]time.Duration{"past": -time.Hour, "future": time.Hour} {
		testenv.NoError(t, session.InsertToken(ctx, p.Queries(), token, id, time.Now(), expires))
	}
	p.Exec(t, `insert into failure_count (counted, free_at, each_seconds)
		values (sha256('past'), now() - interval '1 hour', 1), (sha256('future'), now() + interval '1 hour', 1)`)
	testenv.NoError(t, p.Prune(ctx))
	testenv.WantAll(t, p.Texts(t, "select (counted = sha256('future'))::text from failure_count"), []string{"true"}, "failures that still count")
	left := p.Texts(t, "select encode(hash, 'hex') from session where user_id = $1", id)
	testenv.WantAll(t, left, []string{hex.EncodeToString(auth.HashSecret("future"))}, "tokens that are left")
}

func TestOnlyHashesAreStored(t *testing.T) {
	p := newPeople(t)
	secret := p.secondFactor(t, p.add(t, caller.Operator, "operator", nil, nil))
	code := testenv.Must(totp.GenerateCode(secret, time.Now()))(t)
	token := testenv.Must(p.Login(ctx, typed("operator", code), home))(t)
	for _, hidden := range []string{token.Bearer, password, secret} {
		p.StoredNowhere(t, hidden)
	}
	hash := p.Text(t, "select password_hash from app_user where login = 'operator'")
	testenv.Check(t, strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$"), "the password is kept as %s", hash)
	costly := session.Costly
	testenv.Check(t, costly.Memory == 19456 && costly.Iterations == 2 && costly.Parallelism == 1, "the program keeps it with %+v", costly)
}

func TestCreateOperator(t *testing.T) {
	p := newPeople(t)
	testenv.NoError(t, session.CreateOperator(ctx, p.Pool, "root", password))
	token, err := p.Login(ctx, typed("root", ""), home)
	testenv.Check(t, err == nil && token.Kind == caller.Operator, "%s, %v", token.Kind, err)
	err = session.CreateOperator(ctx, p.Pool, "root", "another password")
	testenv.Check(t, err != nil && !strings.Contains(err.Error(), "another password"), "the login is taken: %v", err)
	// Who has the database's address leaves a trace, without the password's
	// hash.
	kept := p.Text(
		t,
		`select string_agg(concat_ws(' ', actor, subject, after->>'login', after->>'role', after ? 'password_hash'), ', ')
		from setting_change where actor = 'command'`,
	)
	testenv.Want(t, kept, "command user root admin f", "the log of settings has")
}

// FuzzBearer: whatever the header holds, it is the one token or nobody. The
// scheme's name is case-insensitive (RFC 9110, 11.1).
func FuzzBearer(f *testing.F) {
	p := newPeople(f)
	id := p.add(f, caller.Operator, "operator", nil, nil)
	token := testenv.Must(p.Login(ctx, typed("operator", ""), home))(f).Bearer
	testenv.NoError(f, session.InsertToken(ctx, p.Queries(), "expired", id, time.Now(), -time.Millisecond))
	for _, seed := range []string{
		"Bearer " + token, "BEARER " + token, "bearer " + token, "", "Bearer", "Bearer ", "Bearer \x00", "Bearer ' or true --", "\xff",
		"Bearer unknown", "Bearer expired", token, "Basic " + token, "Bearer  " + token, "Bearer " + token + " ", "Bearer " + token[1:],
		"Bearer " + strings.ToUpper(token), "Bearer " + hex.EncodeToString(auth.HashSecret(token)), "Bearer " + string(auth.HashSecret(token)),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, authorization string) {
		who, err := p.Bearer(ctx, authorization)
		known := len(authorization) > 7 && strings.EqualFold(authorization[:7], "bearer ") &&
			authorization[7:] == token
		switch {
		case known && (err != nil || who.Kind != caller.Operator):
			t.Fatalf("the token was refused: %v", err)
		case !known && (!errors.Is(err, fault.ErrUnauthenticated) || who.Kind != ""):
			t.Fatalf("%q: %+v, %v", authorization, who, err)
		}
	})
}

// events are the sign-ins that are kept, the oldest first.
func (o office) events(t testing.TB) string {
	t.Helper()
	return strings.Join(o.Texts(t, `select coalesce(u.login, 'nobody') || ' ' || e.outcome || ' ' || e.address
		from sign_in_event e left join app_user u on u.id = e.user_id order by e.id`), "\n")
}

// Sign-ins are kept, and those that failed, but nothing of what was typed.
func TestSignInsAreKept(t *testing.T) {
	o, _, secret, _ := withRoot(t)
	try := func(login, password, code string) {
		t.Helper()
		_, _ = o.SignIn(ctx, session.Credentials{Login: login, Password: password, Code: code}, home)
	}
	try("root", "canary", "")
	try("canary", password, "")
	try("root", password, "000000")
	opened := o.signIn(t, "root", "")
	_, err := o.GiveFactor(ctx, opened.Session, given("canary"))
	testenv.Check(t, err != nil, "a wrong code was taken")
	testenv.Must(o.GiveFactor(ctx, opened.Session, given(o.nextCode(t, secret))))(t)
	o.signIn(t, "root", o.nextCode(t, secret))
	want := `root awaits_enrolment 192.0.2.1
root factor_given 192.0.2.1
root wrong_password 192.0.2.1
nobody wrong_password 192.0.2.1
root wrong_factor 192.0.2.1
root awaits_factor 192.0.2.1
root wrong_factor 192.0.2.1
root factor_given 192.0.2.1
root signed_in 192.0.2.1`
	testenv.Want(t, o.events(t), want, "kept")
	all := o.Text(t, "select string_agg(e::text, '') from sign_in_event e")
	testenv.Check(t, !strings.Contains(all, "canary") && !strings.Contains(all, password), "what was typed is kept: %s", all)
}

// Of a user and an outcome only so many sign-ins are kept in an hour, and
// others no less for that.
func TestSignInsAreBounded(t *testing.T) {
	o := newOffice(t)
	id := o.add(t, caller.Cabinet, "payer", nil, nil)
	o.Exec(t, `insert into sign_in_event (at, user_id, door, outcome, address, agent)
		select now() - interval '1 minute', $1, 'web', 'wrong_password', '', '' from generate_series(1, 100)`, id)
	_, err := o.SignIn(ctx, session.Credentials{Login: "payer", Password: "wrong"}, home)
	testenv.Check(t, err != nil, "a wrong password was taken")
	o.signIn(t, "payer", "")
	events := o.events(t)
	testenv.Check(t, strings.Count(events, "wrong_password") == 100 && strings.Count(events, "signed_in") == 1, "kept: %s", events)
}

// What is kept is never changed, and removed only when it is old.
func TestSignInsStay(t *testing.T) {
	o := newOffice(t)
	o.add(t, caller.Cabinet, "payer", nil, nil)
	o.signIn(t, "payer", "")
	for _, sql := range []string{"delete from sign_in_event", "update sign_in_event set address = ''", "truncate sign_in_event"} {
		_, err := o.Pool.Exec(ctx, sql)
		testenv.Check(t, err != nil, "%s: done", sql)
	}
	o.Exec(t, `insert into sign_in_event (at, user_id, door, outcome, address, agent)
		values (now() - interval '402 days', 1, 'web', 'signed_in', 'old', '')`)
	testenv.NoError(t, o.Prune(ctx))
	events := o.events(t)
	testenv.Check(t, !strings.Contains(events, "old") && strings.Contains(events, "payer signed_in"), "kept: %s", events)
}

// tries gives a wrong password so often, each time from another address that
// the format makes.
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

// Strangers who try a login lock nobody out who has signed in before: not from
// the address they did it from, and not in the browser they did it in. Others
// wait, whatever their address.
func TestStrangersLockNobodyOut(t *testing.T) {
	o, in, secret, _ := withRoot(t)
	device := testenv.Must(o.NewDevice(in.Session))(t)
	testenv.NoError(t, o.tries(t, "root", "198.51.100.%d", 100))
	refused(t, o.from(t, "root", session.Origin{Address: "203.0.113.1"}), "rate_limited")
	testenv.NoError(t, o.from(t, "root", home))
	testenv.NoError(t, o.from(t, "root", session.Origin{Address: "203.0.113.1", Device: device}))
	// The browser of one user is no help with another's login, nor is one
	// that nobody gave.
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

// Who has a whole network of IPv6 addresses has as many tries at a login as who
// has one address.
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

// Twenty wrong codes in a row lock the second factor, which the log of sign-ins
// says, until the user is invited anew or has other codes. A right code ends a
// row.
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
	testenv.Check(t, len(list) == 3 && list[0].FactorLockedAt != nil, "operators see %+v", list)
	testenv.NoError(t, o.Queries().UserForget(ctx, list[0].ID))
	testenv.Check(t, o.Text(t, "select count(*) from app_user where factor_locked_at is not null") == "0",
		"still locked after the reset")
}

// Whoever signs in by a passkey while their codes are locked gets others that
// work, of another app or for recovery.
func TestOtherCodesAreNotLocked(t *testing.T) {
	o := newOffice(t)
	opened, key := o.withPasskey(t, "root")
	opened, secret, _ := o.enrol(t, opened.Session)
	lock := func() {
		t.Helper()
		for n := range 20 {
			refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", "00000x"),
				session.Origin{Address: fmt.Sprintf("198.51.100.%d", n)})), "invalid_credentials")
		}
		refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", o.nextCode(t, secret)), home)), "factor_locked")
		in := o.signIn(t, "root", "")
		answer := key.assert(t, testenv.Must(o.BeginAssertion(ctx, in.Session))(t))
		opened = testenv.Must(o.GiveFactor(ctx, in.Session, session.Factor{Assertion: answer}))(t)
	}
	lock()
	was := secret
	opened, secret, _ = o.enrol(t, opened.Session)
	refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", o.nextCode(t, was)), home)), "invalid_credentials")
	o.signIn(t, "root", o.nextCode(t, secret))
	lock()
	codes := testenv.Must(o.RenewRecoveryCodes(ctx, opened.Session))(t)
	o.signIn(t, "root", codes[0])
}
