package account_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/pquerna/otp/totp"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// A passkey is made in the browser, and signs in from then on; without it the password is not enough.
func TestPasskey(t *testing.T) {
	t.Parallel()
	b := portaltest.With(t, portaltest.Options{Passkeys: true, Production: true})
	b.User(t, "owner", caller.Trader, caller.Owner, b.Traders[0].ID)
	address := strings.Replace(b.Server.URL, "127.0.0.1", "localhost", 1)
	tab := browsertest.New(t)
	browsertest.Call(tab, webauthn.Enable, webauthn.EnableParams{})
	yes := true
	device := webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: yes, HasUserVerification: yes, IsUserVerified: yes, AutomaticPresenceSimulation: yes,
	}
	browsertest.Call(tab, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &device})
	signIn := func() {
		tab.Open(address + "/sign-in?next=/account")
		tab.Type("#login", "owner")
		tab.Type("#password", portaltest.Password)
		tab.Click("main button[type=submit]")
	}
	signIn()
	tab.Await("h1", "Set up a second factor")
	tab.Open(address + "/trader")
	tab.Await("h1", "Set up a second factor") // nothing else opens before
	tab.Click(`a[href="/second-factor/passkey"]`)
	tab.Type("#name", "Laptop")
	tab.Click("form[data-passkey] button")
	tab.Await("h1", "Recovery codes")
	codes := browsertest.Eval[[]string](tab, `[...document.querySelectorAll(".codes li")].map(e => e.textContent)`)
	testenv.Need(t, len(codes) == 10, "%d recovery codes", len(codes))
	tab.Open(address + "/trader")
	tab.Await("h1", "Desk")
	tab.Click(`form[action="/sign-out"] button`)
	tab.Await("h1", "Sign in")
	signIn()
	tab.Await("h1", "Second factor")
	tab.Click("form[data-passkey] button")
	tab.Await("h1", "Account")
	for i, wanted := range []int{http.StatusSeeOther, http.StatusUnprocessableEntity} {
		p := b.Nobody()
		p.Post(t, "/sign-in", "login", "owner", "password", portaltest.Password)
		want(t, fmt.Sprint("use ", i+1), p.Post(t, "/second-factor", "code", codes[0]).Code, wanted)
	}
}

// A new user in production: the invitation's link asks for a password once, then a second factor must be set up before anything
// else opens, and from then on the password alone is not enough. All of it without script.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	b := portaltest.With(t, portaltest.Options{Production: true})
	_, link, err := b.Sessions.Create(t.Context(), portaltest.Admin, session.NewUser{
		Kind: caller.Trader, Login: "new", TraderID: &b.Traders[0].ID,
	})
	testenv.NoError(t, err)
	path := strings.TrimPrefix(link, b.Server.URL)
	p := b.Nobody()
	wantIn(t, "the invitation says", p.Page(t, path).Find("main").Text(), "You sign in as new.")
	for wrong, fields := range map[string][]string{
		"too short":    {"password", "short", "again", "short"},
		"not the same": {"password", portaltest.Password, "again", portaltest.Password + "x"},
	} {
		if a := p.Post(t, path, fields...); a.Code != http.StatusUnprocessableEntity ||
			strings.Contains(a.Body, fields[1]+`"`) {
			t.Errorf("%s: %d", wrong, a.Code)
		}
	}
	a := p.Post(t, path, "password", portaltest.Password, "again", portaltest.Password)
	testenv.Need(t, a.To() == "/second-factor/enrol", "led to %q: %d %s", a.To(), a.Code, a.Text())
	for _, closed := range []string{"/trader", "/account", "/trader/payments"} {
		want(t, closed+" opens", p.Get(t, closed).To(), "/second-factor/enrol")
	}
	want(t, "the invitation works twice", b.Nobody().Post(t, path, "password", portaltest.Password, "again", portaltest.Password).Code,
		http.StatusNotFound)
	secret := enrol(t, p)
	want(t, "the desk", p.Get(t, "/trader").Code, http.StatusOK)
	signsInWith(t, b, secret)
}

// enrol sets up an authenticator app, at the second try, and returns its secret.
func enrol(t *testing.T, p *portaltest.Person) string {
	t.Helper()
	page := p.Page(t, "/second-factor/app")
	secret := page.Find(".mono").Text()
	want(t, "there is no QR code", page.Find(".qr svg").Length(), 1)
	a := p.Post(t, "/second-factor/app", hidden(page, "code", "000000")...)
	want(t, "after a wrong code", line(a.Code, a.Page(t).Find(".mono").Text()), line(http.StatusUnprocessableEntity, secret))
	before := p.Cookie()
	a = p.Post(t, "/second-factor/app", hidden(a.Page(t), "code", code(t, secret, 0))...)
	codes := a.Page(t).Find(".codes li").Length()
	testenv.Need(t, codes == 10, "%d recovery codes: %d %s", codes, a.Code, a.Text())
	testenv.Check(t, p.Cookie() != before, "the session keeps its token")
	return secret
}

func code(t *testing.T, secret string, after time.Duration) string {
	t.Helper()
	return testenv.Must(totp.GenerateCode(secret, time.Now().Add(after)))(t)
}

// signsInWith signs in with a code, which works once.
func signsInWith(t *testing.T, b *portaltest.Bundle, secret string) {
	t.Helper()
	given := code(t, secret, 30*time.Second)
	first, second := b.SignIn(t, "new"), b.SignIn(t, "new")
	want(t, "the password alone", first.Get(t, "/trader").To(), "/second-factor?next=%2Ftrader")
	want(t, "with the code", first.Post(t, "/second-factor?next=/trader/payments", "code", given).To(), "/trader/payments")
	want(t, "the same code again", second.Post(t, "/second-factor", "code", given).Code, http.StatusUnprocessableEntity)
	if a := second.Get(t, "/trader"); a.Code == http.StatusOK {
		t.Error("the desk opens after a code that was used")
	}
}

// What changes how one signs in asks for a fresh proof, after which it goes on.
func TestFreshProof(t *testing.T) {
	b, p := portaltest.Trader(t)
	secret := enrol(t, p)
	b.Exec(t, "update session set factor_at = now() - interval '5 minutes 1 second'")
	a := p.Get(t, "/trader")
	testenv.Check(t, a.Code == http.StatusOK, "the desk asks for a fresh proof: %d to %q", a.Code, a.To())
	for _, path := range []string{"/account/recovery-codes", "/account/app/remove"} {
		a := p.Post(t, path)
		testenv.Check(t, strings.HasPrefix(a.To(), "/second-factor"), "%s: %d to %q", path, a.Code, a.To())
	}
	want(t, "the proof", p.Post(t, "/second-factor?next=/account", "code", code(t, secret, 30*time.Second)).To(), "/account")
	want(t, "then", p.Post(t, "/account/app/remove").Led(), "303 /account factor-removed")
}

// A changed password ends the user's other sessions; the page tells of wrong ones.
func TestPassword(t *testing.T) {
	b, p := portaltest.Trader(t)
	other := b.SignIn(t, "owner-1")
	const next = "another long password"
	a := p.Post(t, "/account/password", "oldPassword", "wrong password", "newPassword", next, "again", next)
	wantAnswer(t, "a wrong password", a, http.StatusUnprocessableEntity, "This is not your password.")
	if a := p.Post(t, "/account/password", "oldPassword", portaltest.Password, "newPassword", next, "again",
		next); a.To() != "/account" {
		t.Fatalf("%d to %q %s", a.Code, a.To(), a.Text())
	}
	want(t, "this session", p.Get(t, "/account").Code, http.StatusOK)
	if a := other.Get(t, "/account"); a.Code == http.StatusOK {
		t.Error("the other session goes on")
	}
}

// One's sessions are listed, and ended one by one or all.
func TestSessions(t *testing.T) {
	b := portaltest.Parallel(t)
	p, other, third := b.Trader(t, 0), b.SignIn(t, "owner-1"), b.SignIn(t, "owner-1")
	stranger := b.Trader(t, 1)
	rows := p.Page(t, "/account").Find(`form[action^="/account/sessions/"][action$="/end"]`)
	if rows.Length() != 3 { // two others, and all
		t.Fatalf("%d sessions to end", rows.Length())
	}
	path := rows.First().AttrOr("action", "")
	a := stranger.Post(t, path)
	testenv.Check(t, a.Code == http.StatusNotFound, "a stranger ends it: %d", a.Code)
	if p.Post(t, path); other.Get(t, "/account").Code == http.StatusOK &&
		third.Get(t, "/account").Code == http.StatusOK {
		t.Error("none has ended")
	}
	p.Post(t, "/account/sessions/end")
	testenv.Check(t, other.Get(t, "/account").Code != http.StatusOK && third.Get(t, "/account").Code != http.StatusOK,
		"one of the others goes on")
	want(t, "a session ended that should not", line(p.Get(t, "/account").Code, stranger.Get(t, "/account").Code),
		line(http.StatusOK, http.StatusOK))
}
