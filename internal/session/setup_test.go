package session_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
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

// office is the service where second factors are compulsory, with the limits in force and a clock
// that stands until it is told to go on.
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

// withRoot is an office with an operator, their authenticator app and their recovery codes.
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

// kinds are those of the refusals there are, by their code: they decide the status.
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

// typed is what somebody types who knows the password, and given the code of a second factor.
func typed(login, code string) session.Credentials {
	return session.Credentials{Login: login, Password: password, Code: code}
}
func given(code string) session.Factor { return session.Factor{Code: code} }
