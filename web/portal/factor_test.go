package portal_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/web/portal"
)

// A new user in production: the invitation's link asks for a password once, then a second factor must
// be set up before anything else opens, and from then on the password alone is not enough. All of it
// without script.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	b := setup(t, options{production: true})
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	_, link, err := b.sessions.Create(t.Context(), operator, session.NewUser{
		Kind: caller.Trader, Login: "new", TraderID: &b.traders[0].ID,
	})
	noError(t, err)
	path := strings.TrimPrefix(link, b.server.URL)
	p := b.nobody()
	wantIn(t, "the invitation says", p.page(t, path).Find("main").Text(), "You sign in as new.")
	for wrong, fields := range map[string][]string{
		"too short":    {"password", "short", "again", "short"},
		"not the same": {"password", password, "again", password + "x"},
	} {
		if a := p.post(t, path, fields...); a.code != http.StatusUnprocessableEntity ||
			strings.Contains(a.body, fields[1]+`"`) {
			t.Errorf("%s: %d", wrong, a.code)
		}
	}
	a := p.post(t, path, "password", password, "again", password)
	if a.to() != "/second-factor/enrol" {
		t.Fatalf("led to %q: %d %s", a.to(), a.code, a.text())
	}
	for _, closed := range []string{"/trader", "/account", "/trader/payments"} {
		want(t, closed+" opens", p.get(t, closed).to(), "/second-factor/enrol")
	}
	want(t, "the invitation works twice", b.nobody().post(t, path, "password", password, "again", password).code,
		http.StatusNotFound)
	secret := p.enrol(t)
	want(t, "the desk", p.get(t, "/trader").code, http.StatusOK)
	b.signsInWith(t, secret)
}

// enrol sets up an authenticator app, at the second try, and returns its secret.
func (p *person) enrol(t *testing.T) string {
	t.Helper()
	page := p.page(t, "/second-factor/app")
	secret := page.Find(".mono").Text()
	want(t, "there is no QR code", page.Find(".qr svg").Length(), 1)
	a := p.post(t, "/second-factor/app", hidden(page, "code", "000000")...)
	want(t, "after a wrong code", line(a.code, a.page(t).Find(".mono").Text()),
		line(http.StatusUnprocessableEntity, secret))
	before := p.cookie()
	a = p.post(t, "/second-factor/app", hidden(a.page(t), "code", code(t, secret, 0))...)
	if codes := a.page(t).Find(".codes li").Length(); codes != 10 {
		t.Fatalf("%d recovery codes: %d %s", codes, a.code, a.text())
	}
	if p.cookie() == before {
		t.Error("the session keeps its token")
	}
	return secret
}

func code(t *testing.T, secret string, after time.Duration) string {
	t.Helper()
	digits, err := totp.GenerateCode(secret, time.Now().Add(after))
	noError(t, err)
	return digits
}

// signsInWith signs in with a code, which works once.
func (b *bundle) signsInWith(t *testing.T, secret string) {
	t.Helper()
	given := code(t, secret, 30*time.Second)
	first, second := b.signIn(t, "new"), b.signIn(t, "new")
	want(t, "the password alone", first.get(t, "/trader").to(), "/second-factor?next=%2Ftrader")
	want(t, "with the code", first.post(t, "/second-factor?next=/trader/payments", "code", given).to(),
		"/trader/payments")
	want(t, "the same code again", second.post(t, "/second-factor", "code", given).code, http.StatusUnprocessableEntity)
	if a := second.get(t, "/trader"); a.code == http.StatusOK {
		t.Error("the desk opens after a code that was used")
	}
}

// What changes how one signs in asks for a fresh proof, after which it goes on.
func TestFreshProof(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	secret := p.enrol(t)
	b.Exec(t, "update session set factor_at = now() - interval '5 minutes 1 second'")
	if a := p.get(t, "/trader"); a.code != http.StatusOK {
		t.Errorf("the desk asks for a fresh proof: %d to %q", a.code, a.to())
	}
	for _, path := range []string{"/account/recovery-codes", "/account/app/remove"} {
		if a := p.post(t, path); !strings.HasPrefix(a.to(), "/second-factor") {
			t.Errorf("%s: %d to %q", path, a.code, a.to())
		}
	}
	want(t, "the proof", p.post(t, "/second-factor?next=/account", "code", code(t, secret, 30*time.Second)).to(),
		"/account")
	want(t, "then", line(p.post(t, "/account/app/remove").to(), p.cookies["flash"]), "/account factor-removed")
}

// A changed password ends the user's other sessions; the page tells of wrong ones.
func TestPassword(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	other := b.signIn(t, "owner-1")
	const next = "another long password"
	a := p.post(t, "/account/password", "oldPassword", "wrong password", "newPassword", next, "again", next)
	wantAnswer(t, "a wrong password", a, http.StatusUnprocessableEntity, "This is not your password.")
	if a := p.post(t, "/account/password", "oldPassword", password, "newPassword", next, "again",
		next); a.to() != "/account" {
		t.Fatalf("%d to %q %s", a.code, a.to(), a.text())
	}
	want(t, "this session", p.get(t, "/account").code, http.StatusOK)
	if a := other.get(t, "/account"); a.code == http.StatusOK {
		t.Error("the other session goes on")
	}
}

// One's sessions are listed, and ended one by one or all.
func TestSessions(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, other, third := b.trader(t, 0), b.signIn(t, "owner-1"), b.signIn(t, "owner-1")
	stranger := b.trader(t, 1)
	page := p.page(t, "/account")
	rows := page.Find(`form[action^="/account/sessions/"][action$="/end"]`)
	if rows.Length() != 3 { // two others, and all
		t.Fatalf("%d sessions to end", rows.Length())
	}
	path := rows.First().AttrOr("action", "")
	if a := stranger.post(t, path); a.code != http.StatusNotFound {
		t.Errorf("a stranger ends it: %d", a.code)
	}
	if p.post(t, path); other.get(t, "/account").code == http.StatusOK &&
		third.get(t, "/account").code == http.StatusOK {
		t.Error("none has ended")
	}
	p.post(t, "/account/sessions/end")
	if other.get(t, "/account").code == http.StatusOK || third.get(t, "/account").code == http.StatusOK {
		t.Error("one of the others goes on")
	}
	want(t, "a session ended that should not", line(p.get(t, "/account").code, stranger.get(t, "/account").code),
		line(http.StatusOK, http.StatusOK))
}

// A bearer token is no cookie.
func TestBearerIsNoCookie(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "owner", caller.Trader, caller.Owner, b.traders[0].ID)
	token, err := b.sessions.Login(t.Context(), session.Credentials{Login: "owner", Password: password},
		session.Origin{})
	noError(t, err)
	p := b.nobody()
	p.cookies["session"] = token.Bearer
	if a := p.get(t, "/trader"); a.code != http.StatusSeeOther || !strings.HasPrefix(a.to(), "/sign-in") {
		t.Errorf("a bearer token as a cookie: %d to %q", a.code, a.to())
	}
	cookie := b.signIn(t, "owner").cookie()
	if _, err := b.sessions.Bearer(t.Context(), "Bearer "+cookie); err == nil {
		t.Error("a cookie is a bearer token")
	}
}

// By https alone the cookie is bound to the host, and no script reads it.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "owner", caller.Trader, caller.Owner, b.traders[0].ID)
	rooms := b.rooms
	rooms.Secure = true
	pages, err := portal.New(rooms)
	noError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	b.server = server
	a := b.nobody().post(t, "/sign-in", "login", "owner", "password", password)
	cookie := a.header.Get("Set-Cookie")
	wantIn(t, "the cookie", cookie, "__Host-session=", "; Path=/", "; HttpOnly", "; Secure",
		"; SameSite=Lax")
	wantNot(t, "the cookie has a domain, or outlives the browser", cookie, "Domain=", "Max-Age")
}
