package account_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portals"
)

// A browser in which somebody has signed in is known again by a cookie of its own.
func TestDeviceCookie(t *testing.T) {
	_, p := portaltest.Member(t, caller.Owner)
	device := p.Cookies["device"]
	testenv.Need(t, device != "", "no cookie is kept of the sign-in")
	p.Post(t, "/sign-out")
	want(t, "after the sign-out", p.Cookies["device"], device)
}

// A bearer token is no cookie.
func TestBearerIsNoCookie(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "owner", caller.Trader, caller.Owner, b.Traders[0].ID)
	token := testenv.Must(b.Sessions.Login(t.Context(), session.Credentials{Login: "owner", Password: portaltest.Password},
		session.Origin{}))(t)
	p := b.Nobody()
	p.Cookies["session"] = token.Bearer
	if a := p.Get(t, "/trader"); a.Code != http.StatusSeeOther || !strings.HasPrefix(a.To(), "/sign-in") {
		t.Errorf("a bearer token as a cookie: %d to %q", a.Code, a.To())
	}
	cookie := b.SignIn(t, "owner").Cookie()
	if _, err := b.Sessions.Bearer(t.Context(), "Bearer "+cookie); err == nil {
		t.Error("a cookie is a bearer token")
	}
}

// By https alone the cookie is bound to the host, and no script reads it.
func TestSecureCookie(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "owner", caller.Trader, caller.Owner, b.Traders[0].ID)
	rooms := b.Rooms
	rooms.Secure = true
	server := httptest.NewServer(testenv.Must(portals.New(rooms))(t))
	t.Cleanup(server.Close)
	b.Server = server
	cookie := b.Nobody().Post(t, "/sign-in", "login", "owner", "password", portaltest.Password).Header.Get("Set-Cookie")
	wantIn(t, "the cookie", cookie, "__Host-session=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax")
	wantNot(t, "the cookie has a domain, or outlives the browser", cookie, "Domain=", "Max-Age")
}

// Signing in leads to the desk, and signing out ends the session for good: its cookie is worth nothing any more.
func TestSignInAndOut(t *testing.T) {
	_, p := portaltest.Trader(t)
	want(t, "the desk is headed", p.Page(t, "/trader").Find("h1").Text(), "Desk")
	kept := p.Cookie()
	if a := p.Post(t, "/sign-out"); a.Code != http.StatusSeeOther || a.To() != "/sign-in" || p.Cookie() != "" {
		t.Errorf("signed out: %d to %q, cookie %q", a.Code, a.To(), p.Cookie())
	}
	p.Cookies["session"] = kept
	if a := p.Get(t, "/trader"); a.Code != http.StatusSeeOther || a.To() != "/sign-in?next=%2Ftrader" {
		t.Errorf("a replayed cookie: %d to %q", a.Code, a.To())
	}
}

// A wrong password, an unknown login and a user who is switched off get the same page, with the login still in it and no password.
func TestSignInRefused(t *testing.T) {
	b := portaltest.Parallel(t)
	b.Exec(t, "update app_user set enabled = false where id = $1", b.User(t, "off", caller.Trader, caller.Owner, b.Traders[0].ID))
	b.User(t, "owner", caller.Trader, caller.Owner, b.Traders[0].ID)
	for login, given := range map[string]string{"owner": "wrong password", "nobody": portaltest.Password, "off": portaltest.Password} {
		p := b.Nobody()
		a := p.Post(t, "/sign-in", "login", login, "password", given)
		wantAnswer(t, login, a, http.StatusUnprocessableEntity, "Login or password is wrong.")
		testenv.Check(t, p.Cookie() == "" && !strings.Contains(a.Body, given), "%s: the answer has a cookie, or the password in it", login)
		want(t, "the login typed is", a.Page(t).Find("#login").AttrOr("value", ""), login)
	}
}

// What a user was asked for is where they are led; another site is not.
func TestNext(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "owner", caller.Trader, caller.Owner, b.Traders[0].ID)
	for next, wanted := range map[string]string{
		"/trader/payments?status=pending": "/trader/payments?status=pending", "https://evil.example/": "/trader",
		"//evil.example/": "/trader", `/\evil.example`: "/trader", "javascript:alert(1)": "/trader", "": "/trader",
		"///evil.example/": "/trader", "////evil.example/": "/trader", `//\evil.example/`: "/trader", `\\evil.example`: "/trader",
		"/\t/evil.example/": "/trader", "/\n/evil.example/": "/trader", " //evil.example/": "/trader", "evil.example": "/trader",
		"https:evil.example": "/trader", "https:///evil.example": "/trader", "data:text/html,x": "/trader",
		"/trader/payments?q=//evil.example": "/trader/payments?q=//evil.example",
	} {
		a := b.Nobody().Post(t, "/sign-in?next="+url.QueryEscape(next), "login", "owner", "password", portaltest.Password)
		want(t, next+" leads to", a.To(), wanted)
	}
}

// Whoever puts a cookie of their own into a victim's browser is not in the victim's session after the victim has signed in.
func TestFixation(t *testing.T) {
	b, attacker := portaltest.Trader(t)
	b.User(t, "victim", caller.Trader, caller.Owner, b.Traders[1].ID)
	victim := b.Nobody()
	victim.Cookies["session"] = attacker.Cookie()
	victim.Post(t, "/sign-in", "login", "victim", "password", portaltest.Password)
	testenv.Need(t, victim.Cookie() != attacker.Cookie(), "the victim's session has the attacker's cookie")
	want(t, "the attacker's cookie still opens", attacker.Get(t, "/trader").Code, http.StatusSeeOther)
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantAnswer, wantIn, wantNot = portaltest.Want, portaltest.WantAnswer, portaltest.WantIn, portaltest.WantNot
	hidden, line                      = portaltest.Hidden, portaltest.Line
	noError                           = testenv.NoError
)
