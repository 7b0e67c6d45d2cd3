package session_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/pquerna/otp/totp"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/notify"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var (
	home   = session.Origin{Address: "192.0.2.1", Agent: "Browser"}
	config = session.Config{
		PortalURL: "https://portal.example", CookieKeys: [][]byte{bytes.Repeat([]byte{1}, session.CookieKeySize)},
	}
)

// office is the service where second factors are compulsory, with the limits in
// force and a clock that stands until it is told to go on.
type office struct {
	people
	passed *atomic.Int64
	begin  time.Time
}

// newOffice has the test run beside others.
func newOffice(t *testing.T) office {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	limits := limit.New(d.Pool)
	testenv.NoError(t, limits.Load(ctx))
	c := config
	c.Compulsory = true
	service := testenv.Must(session.New(d.Pools(), dbtest.Vault(), limits, c))(t)
	o := office{people: people{DB: d, Service: service}, passed: new(atomic.Int64), begin: time.Now()}
	service.At(o.now)
	o.bystander(t)
	return o
}

func (o office) now() time.Time { return o.begin.Add(time.Duration(o.passed.Load())) }

func (o office) wait(d time.Duration) { o.passed.Add(int64(d)) }

func (o office) code(t testing.TB, secret string) string {
	t.Helper()
	return testenv.Must(totp.GenerateCode(secret, o.now()))(t)
}

// nextCode is a code that was not used yet.
func (o office) nextCode(t testing.TB, secret string) string {
	t.Helper()
	o.wait(30 * time.Second)
	return o.code(t, secret)
}

func (o office) signIn(t testing.TB, login, code string) session.Opened {
	t.Helper()
	return testenv.Must(o.SignIn(ctx, typed(login, code), home))(t)
}

// enrol sets up an authenticator app in a session.
func (o office) enrol(t testing.TB, in session.Session) (session.Opened, string, []string) {
	t.Helper()
	offer := testenv.Must(o.BeginTOTP(ctx, in))(t)
	opened, codes := testenv.Must2(o.ConfirmTOTP(ctx, in, o.nextCode(t, offer.Secret)))(t)
	return opened, offer.Secret, codes
}

// operator makes an operator with an authenticator app, signed in.
func (o office) operator(t testing.TB, login string) (session.Opened, string, []string) {
	t.Helper()
	o.add(t, caller.Operator, login, nil, nil)
	return o.enrol(t, o.signIn(t, login, "").Session)
}

// withRoot is an office with an operator, their authenticator app and their
// recovery codes.
func withRoot(t *testing.T) (office, session.Opened, string, []string) {
	t.Helper()
	o := newOffice(t)
	opened, secret, codes := o.operator(t, "root")
	return o, opened, secret, codes
}

// live reports whether a cookie opens a session.
func (o office) live(t testing.TB, cookie string) bool {
	t.Helper()
	_, err := o.Find(ctx, cookie)
	if err != nil {
		refused(t, err, "unauthenticated")
	}
	return err == nil
}

var (
	ctx = context.Background()
)

// kinds are those of the refusals there are, by their code: they decide the
// status.
var kinds = map[string]fault.Kind{
	"consent_over": fault.Conflict, "factor_last": fault.Conflict, "factor_missing": fault.Conflict,
	"factor_not_begun": fault.Conflict, "passkeys_unavailable": fault.Conflict, "team_last_owner": fault.Conflict,
	"consent_awaited": fault.Forbidden, "factor_locked": fault.Forbidden, "factor_needed": fault.Forbidden,
	"role_not_allowed": fault.Forbidden, "second_factor_required": fault.Forbidden, "view_only": fault.Forbidden,
	"token_kind_not_allowed": fault.Forbidden, "invitation_invalid": fault.NotFound, "not_found": fault.NotFound,
	"factor_wrong": fault.Refused, "rate_limited": fault.TooManyRequests,
	"invalid_credentials": fault.Unauthenticated, "unauthenticated": fault.Unauthenticated,
}

func refused(t testing.TB, err error, code string) {
	t.Helper()
	dbtest.WantRefusal(t, err, kinds[code], code)
}

// typed is what somebody types who knows the password, and given the code of a
// second factor.
func typed(login, code string) session.Credentials {
	return session.Credentials{Login: login, Password: password, Code: code}
}
func given(code string) session.Factor { return session.Factor{Code: code} }

// A session ends when it was idle for half an hour, and lives on while it is
// used.
func TestIdle(t *testing.T) {
	o, in, _, _ := withRoot(t)
	for range 3 {
		o.wait(29 * time.Minute)
		testenv.Want(t, o.live(t, in.Cookie), true, "a session in use ended")
	}
	o.wait(30*time.Minute + time.Second)
	testenv.Want(t, o.live(t, in.Cookie), false, "an idle session goes on")
	testenv.Want(t, len(testenv.Must(o.List(ctx, in.Session.Caller, 0))(t)), 0, "listed")
}

// It ends twelve hours after the sign-in, however much it is used, and whatever
// is given meanwhile.
func TestAbsolute(t *testing.T) {
	o, in, secret, _ := withRoot(t)
	for range 35 {
		o.wait(20 * time.Minute)
		testenv.Want(t, o.live(t, in.Cookie), true, "a session in use ended")
	}
	found := testenv.Must(o.Find(ctx, in.Cookie))(t)
	again := testenv.Must(o.GiveFactor(ctx, found, given(o.nextCode(t, secret))))(t)
	o.wait(18 * time.Minute)
	testenv.Want(t, o.live(t, again.Cookie), true, "the session ended early")
	o.wait(3 * time.Minute)
	testenv.Want(t, o.live(t, again.Cookie), false, "the session outlives twelve hours")
}

// A trader who receives payments may be idle for longer than one who has
// paused.
func TestReceivingTraderIdles(t *testing.T) {
	o := newOffice(t)
	desk := o.NewTrader(t, dbtest.TraderOpts{})
	o.add(t, caller.Trader, "desk", nil, &desk.ID)
	in, _, _ := o.enrol(t, o.signIn(t, "desk", "").Session)
	o.wait(11 * time.Hour)
	testenv.Want(t, o.live(t, in.Cookie), true, "the session of a trader who receives payments ended")
	o.Exec(t, "update trader set on_break = true where id = $1", desk.ID)
	o.wait(31 * time.Minute)
	list := testenv.Must(o.List(ctx, in.Session.Caller, 0))(t)
	testenv.Check(t, len(list) == 0 && !o.live(t, in.Cookie), "an idle session of a trader who has paused goes on: %v", list)
}

// That a session was seen is written once a minute.
func TestSeen(t *testing.T) {
	o, in, _, _ := withRoot(t)
	seen := func() time.Time {
		o.live(t, in.Cookie)
		found := testenv.Must(o.Find(ctx, in.Cookie))(t)
		return found.SeenAt
	}
	at := seen()
	o.wait(59 * time.Second)
	got := seen()
	testenv.Check(t, got.Equal(at), "written after 59 seconds: %s", got.Sub(at))
	o.wait(2 * time.Second)
	got = seen()
	testenv.Check(t, got.Sub(at) >= time.Minute, "not written after a minute: %s", got.Sub(at))
}

// Who has signed out, was switched off, or whose session was ended, is out at
// once.
func TestOutAtOnce(t *testing.T) {
	o, operator, _, _ := withRoot(t)
	off := false
	for name, end := range map[string]func(in session.Session) error{
		"signed out": func(in session.Session) error { return o.End(ctx, in) },
		"ended":      func(in session.Session) error { return o.EndOne(ctx, in.Caller, in.ID) },
		"all ended":  func(in session.Session) error { return o.EndAll(ctx, in.Caller, 0) },
		"switched off": func(in session.Session) error {
			return testenv.ErrOf(o.Pool.Exec(ctx, "update app_user set enabled = false where id = $1", in.Caller.ID))
		},
		"switched off by an operator": func(in session.Session) error {
			return testenv.ErrOf(o.Update(ctx, operator.Session.Caller, session.UserUpdate{ID: in.Caller.ID, Enabled: &off, Reason: "left"}))
		},
		"revoked": func(in session.Session) error {
			return testenv.ErrOf(o.RevokeTokens(ctx, operator.Session.Caller, in.Caller.ID))
		},
	} {
		in, _, _ := o.operator(t, name)
		testenv.NoError(t, end(in.Session))
		testenv.Check(t, !o.live(t, in.Cookie), "%s: still signed in", name)
		// Nor can the session that was found before go on as another.
		refused(t, testenv.ErrOf(o.BeginTOTP(ctx, in.Session)), "unauthenticated")
	}
}

// Factors and codes that a session asks for while it ends, such as by another
// password, are not changed any more.
func TestOutWhileItWaits(t *testing.T) {
	o, _, _, _ := withRoot(t)
	for name, change := range map[string]func(in session.Session) error{
		"codes": func(in session.Session) error { return testenv.ErrOf(o.RenewRecoveryCodes(ctx, in)) },
		"app":   func(in session.Session) error { return o.RemoveTOTP(ctx, in) },
		"key": func(in session.Session) error {
			return o.RemovePasskey(ctx, in, testenv.Must(o.ListPasskeys(ctx, in))(t)[0].ID)
		},
	} {
		in, _, _ := o.operator(t, name)
		options := testenv.Must(o.BeginPasskey(ctx, in.Session))(t)
		thief, _ := testenv.Must2(o.FinishPasskey(ctx, in.Session, "second", newAuthenticator(t).register(t, options)))(t)
		held := o.Beside(t)
		testenv.Must(held.Exec(ctx, "select 1 from app_user where login = $1 for no key update", name))(t)
		testenv.Must(held.Exec(ctx, "delete from session where id = $1", thief.Session.ID))(t)
		errs := testenv.AtOnce(2, func(i int) error {
			if i == 0 {
				return change(thief.Session)
			}
			o.AwaitBlocked(t)
			return held.Commit(ctx)
		})
		testenv.NoError(t, errs[1])
		t.Log(name)
		refused(t, errs[0], "unauthenticated")
	}
}

// The code that links a chat of Telegram is good no longer than the sessions of
// its user: whoever had a stolen one would be told of everything from then on.
func TestNoChatOfEndedSessions(t *testing.T) {
	o, operator, _, _ := withRoot(t)
	far := testenv.NewTelegram(t)
	bot := testenv.Must(notify.NewTelegram("1:token", far.URL))(t)
	notices := notify.New(o.Pools(), new(dbtest.Clock), notify.Services{
		Vault: dbtest.Vault(), HashKey: make([]byte, 32), Senders: []notify.Sender{bot},
	})
	feed := notify.NewFeed(notices)
	running, stop := context.WithCancel(ctx)
	var hears sync.WaitGroup
	hears.Go(func() { bot.Run(running, notices, feed) })
	defer hears.Wait()
	defer stop()
	update := 0
	links := func(code string) bool {
		testenv.NoError(t, feed.Find(ctx))
		update++
		far.Updates <- fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"date":%d,"text":"/start %s","chat":{"id":7,"type":"private"}}}`,
			update, time.Now().Unix(), code)
		var heard []string
		testenv.Until(t, "an answer of the bot", func() bool { heard = far.Heard("7"); return len(heard) == 1 })
		return strings.HasPrefix(heard[0], "Linked.")
	}
	for name, end := range map[string]func(in session.Session) error{
		"":           func(session.Session) error { return nil },
		"signed out": func(in session.Session) error { return o.End(ctx, in) },
		"ended":      func(in session.Session) error { return o.EndOne(ctx, in.Caller, in.ID) },
		"all ended":  func(in session.Session) error { return o.EndAll(ctx, in.Caller, 0) },
		"password": func(in session.Session) error {
			return testenv.ErrOf(o.ChangePassword(ctx, in, password, "another long password"))
		},
		"switched off": func(in session.Session) error {
			return testenv.ErrOf(o.Update(ctx, operator.Session.Caller, session.UserUpdate{ID: in.Caller.ID, Enabled: new(false), Reason: "left"}))
		},
		"revoked": func(in session.Session) error {
			return testenv.ErrOf(o.RevokeTokens(ctx, operator.Session.Caller, in.Caller.ID))
		},
	} {
		in, _, _ := o.operator(t, "link "+name)
		_, code, _ := strings.Cut(testenv.Must(notices.LinkTelegram(ctx, in.Session.Caller))(t), "?start=")
		testenv.NoError(t, end(in.Session))
		testenv.Want(t, links(code), name == "", "a chat is linked, %q", name)
	}
}

// A token works through the door it was made for.
func TestDoors(t *testing.T) {
	o := newOffice(t)
	id := o.add(t, caller.Operator, "root", nil, nil)
	key := config.CookieKeys[0]
	codec := securecookie.New(key[:32], key[32:]).SetSerializer(securecookie.NopEncoder{})
	testenv.NoError(t, session.InsertToken(ctx, o.Queries(), "bearer", id, o.now(), time.Hour))
	cookie := testenv.Must(codec.Encode("session", []byte("bearer")))(t)
	testenv.Want(t, o.live(t, cookie), false, "a bearer token works as a cookie")
	in := o.signIn(t, "root", "")
	var token []byte
	testenv.NoError(t, codec.Decode("session", in.Cookie, &token))
	for _, bearer := range []string{in.Cookie, string(token)} {
		refused(t, testenv.ErrOf(o.FindBearer(ctx, "Bearer "+bearer)), "unauthenticated")
	}
}

// Cookies of an older key are good while the key is listed; anything else is
// nobody's.
func TestCookieKeys(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	older, newer := bytes.Repeat([]byte{1}, 64), bytes.Repeat([]byte{2}, 64)
	with := func(keys ...[]byte) people {
		service := testenv.Must(session.New(d.Pools(), dbtest.Vault(), limit.New(d.Pool), session.Config{
			PortalURL: "https://portal.example", CookieKeys: keys,
		}))(t)
		return people{DB: d, Service: service}
	}
	before, both, after := with(older), with(newer, older), with(newer)
	before.add(t, caller.Operator, "root", nil, nil)
	in := func(p people) string {
		opened := testenv.Must(p.SignIn(ctx, typed("root", ""), home))(t)
		return opened.Cookie
	}
	old, present := in(before), in(both)
	for name, test := range map[string]struct {
		service people
		cookie  string
		good    bool
	}{
		"the old key's, by both": {both, old, true}, "the old key's, by the new": {after, old, false},
		"the new key's, by both": {both, present, true}, "the new key's, by the new": {after, present, true},
		"the new key's, by the old": {before, present, false}, "nothing": {both, "", false},
		"changed": {both, strings.Replace(present, present[20:21], "_", 1) + "x", false},
	} {
		_, err := test.service.Find(ctx, test.cookie)
		testenv.Check(t, (err == nil) == test.good, "%s: %v", name, err)
	}
	for _, keys := range [][][]byte{nil, {older[:32]}} {
		_, err := session.New(d.Pools(), dbtest.Vault(), nil, session.Config{CookieKeys: keys})
		testenv.Check(t, err != nil, "%d keys are taken", len(keys))
	}
}

// A user sees and ends their own sessions alone.
func TestOwnSessions(t *testing.T) {
	o, in, secret, _ := withRoot(t)
	o.wait(time.Minute)
	second := o.signIn(t, "root", o.nextCode(t, secret))
	stranger, _, _ := o.operator(t, "stranger")
	list := testenv.Must(o.List(ctx, in.Session.Caller, in.Session.ID))(t)
	testenv.Check(t, len(list) == 2 && list[0].ID == second.Session.ID && !list[0].Current && list[1].Current &&
		list[0].Agent == home.Agent && list[0].Address == home.Address, "listed %+v", list)
	refused(t, o.EndOne(ctx, stranger.Session.Caller, in.Session.ID), "not_found")
	testenv.NoError(t, o.EndAll(ctx, stranger.Session.Caller, stranger.Session.ID))
	looks := in.Session.Caller
	looks.ViewAs = true
	refused(t, o.EndAll(ctx, looks, 0), "view_only")
	testenv.Check(t, o.live(t, in.Cookie) && o.live(t, second.Cookie) && o.live(t, stranger.Cookie),
		"somebody ended another's session")
	testenv.NoError(t, o.EndAll(ctx, in.Session.Caller, in.Session.ID))
	testenv.Check(t, o.live(t, in.Cookie) && !o.live(t, second.Cookie), "all but one were not ended")
	refused(t, testenv.ErrOf(o.List(ctx, caller.Caller{Kind: caller.MerchantKey, ID: in.Session.Caller.ID}, 0)), "token_kind_not_allowed")
}

// A new password ends all other sessions, and the present one goes on with
// another token.
func TestChangePassword(t *testing.T) {
	o, in, secret, _ := withRoot(t)
	other := o.signIn(t, "root", o.nextCode(t, secret))
	const next = "another long password"
	refused(t, testenv.ErrOf(o.ChangePassword(ctx, in.Session, "wrong", next)), "invalid_credentials")
	wrongField(t, testenv.ErrOf(o.ChangePassword(ctx, in.Session, password, "short")), "newPassword")
	changed := testenv.Must(o.ChangePassword(ctx, in.Session, password, next))(t)
	testenv.Want(t, o.Count(t, "select count(*) from notify_event where kind = 'password_changed'"), 1, "times that its user is told")
	testenv.Check(t, !o.live(t, in.Cookie) && !o.live(t, other.Cookie) && o.live(t, changed.Cookie), "the wrong sessions go on")
	refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", ""), home)), "invalid_credentials")
	testenv.Must(o.SignIn(ctx, session.Credentials{Login: "root", Password: next}, home))(t)
}

func TestPreferences(t *testing.T) {
	o, in, _, _ := withRoot(t)
	testenv.Check(t, in.Session.Preferences == (session.Preferences{Zone: "UTC", Theme: "system", Shortcuts: true}),
		"at first %+v", in.Session.Preferences)
	want := session.Preferences{Zone: "Asia/Ulaanbaatar", Language: "ru", Theme: "dark"}
	testenv.Must(o.SetPreferences(ctx, in.Session, want))(t)
	testenv.Want(t, testenv.Must(o.Find(ctx, in.Cookie))(t).Preferences, want, "kept")
	for field, wrong := range map[string]session.Preferences{
		"zone":     {Zone: "Local", Theme: "dark"},
		"language": {Zone: "UTC", Theme: "dark", Language: "de"},
		"theme":    {Zone: "UTC"},
	} {
		_, err := o.SetPreferences(ctx, in.Session, wrong)
		t.Log(field)
		dbtest.WantFields(t, err, field)
	}
}

// What a browser says of itself is kept fit to be shown.
func TestAgent(t *testing.T) {
	o := newOffice(t)
	o.add(t, caller.Operator, "root", nil, nil)
	in := testenv.Must(o.SignIn(ctx, typed("root", ""), session.Origin{
		Address: "192.0.2.1", Agent: "a\x00b\nc\xff" + strings.Repeat("я", 300),
	}))(t)
	testenv.Want(t, in.Session.Agent, "a b c "+strings.Repeat("я", 249), "kept")
}

// A user has a role of their kind, and a payer none.
func TestRolesFit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	insert := "insert into app_user (kind, login, role, created_at) values ($1, 'somebody', $2, now())"
	for _, wrong := range []struct{ kind, role any }{{"operator", nil}, {"operator", "owner"}, {"cabinet", "owner"}} {
		_, err := d.Pool.Exec(ctx, insert, wrong.kind, wrong.role)
		testenv.Check(t, db.Violated(err) == "app_user_role_fits", "%v with the role %v: %v", wrong.kind, wrong.role, err)
	}
}
