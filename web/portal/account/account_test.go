package account_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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
	"gateway.example/web/portals"
)

// A browser in which somebody has signed in is known again by a cookie of its
// own.
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
	services := b.Services
	services.Secure = true
	server := httptest.NewServer(testenv.Must(portals.New(services))(t))
	t.Cleanup(server.Close)
	b.Server = server
	cookie := b.Nobody().Post(t, "/sign-in", "login", "owner", "password", portaltest.Password).Header.Get("Set-Cookie")
	wantIn(t, "the cookie", cookie, "__Host-session=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax")
	wantNot(t, "the cookie has a domain, or outlives the browser", cookie, "Domain=", "Max-Age")
}

// Signing in leads to the desk, and signing out ends the session for good: its
// cookie is worth nothing any more.
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

// Whoever puts a cookie of their own into a victim's browser is not in the
// victim's session after the victim has signed in.
func TestFixation(t *testing.T) {
	b, attacker := portaltest.Trader(t)
	b.User(t, "victim", caller.Trader, caller.Owner, b.Traders[1].ID)
	victim := b.Nobody()
	victim.Cookies["session"] = attacker.Cookie()
	victim.Post(t, "/sign-in", "login", "victim", "password", portaltest.Password)
	testenv.Need(t, victim.Cookie() != attacker.Cookie(), "the victim's session has the attacker's cookie")
	want(t, "the attacker's cookie still opens", attacker.Get(t, "/trader").Code, http.StatusSeeOther)
}

func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	hidden, line          = portaltest.Hidden, portaltest.Line
)

// An owner without a second factor is led to set one up before they accept
// somebody, or make a key.
func TestOwnerWithoutFactorEnrols(t *testing.T) {
	t.Parallel()
	owner := portaltest.With(t, portaltest.Options{Production: true}).AskedMerchant(t)
	accept, _ := owner.Page(t, "/merchant/consent").Find("form[action$='/accept']").Attr("action")
	want(t, "accept", owner.Post(t, accept).To(), "/second-factor/enrol")
	want(t, "a colleague", owner.Get(t, "/merchant/team/invite").To(), "/second-factor/enrol")
	wantIn(t, "still asked", owner.Page(t, "/merchant").Find(".asking").Text(), "puppet")
}

// The operator begins on their account, sees the trader's desk in their own
// language and zone, ends it there and is themselves again, with what they may
// and nothing of the trader's.
func TestViewAsAndBack(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "trader-1", caller.Trader, caller.Owner, b.Traders[0].ID)
	p := b.Operator(t, caller.Admin)
	p.Post(t, "/account/preferences", "zone", "Europe/Istanbul", "language", "ru", "theme", "dark")
	form := p.Page(t, "/account").Find("form[action='/operator/view-as']")
	testenv.Need(t, form.Find("#user").Length() == 1 && form.Find("#reason").Length() == 1, "there is no form to begin")
	began := time.Now()
	if a := p.Post(t, "/operator/view-as", "user", " trader-1 ", "reason", "why"); a.To() != "/trader" {
		t.Fatalf("%d to %q", a.Code, a.To())
	}
	a := p.Get(t, "/trader")
	istanbul := testenv.Must(time.LoadLocation("Europe/Istanbul"))(t)
	var wanted []string
	for _, second := range []time.Duration{0, time.Minute} {
		wanted = append(wanted, fmt.Sprintf("Вы смотрите как trader-1 (владелец) до %s: менять ничего нельзя.",
			began.Add(30*time.Minute+second).In(istanbul).Format("15:04")))
	}
	got := portaltest.Band(t, a)
	testenv.Check(t, slices.Contains(wanted, got), "the band says %q, want %q", got, wanted)
	testenv.Want(t, p.Page(t, "/account").Find("#zone").AttrOr("value", ""), "UTC", "the trader's zone is shown as")
	p.Post(t, "/operator/view-as/end")
	p.Cookies["flash"] = "view-as-ended"
	a = p.Get(t, "/account")
	testenv.Check(t, portaltest.Band(t, a) == "" &&
		strings.Contains(a.Text(), "Вы снова работаете от своего имени.") &&
		strings.Contains(a.Text(), "Администратор"), "afterwards %s", a.Text())
	want(t, "the desk is still open", p.Get(t, "/trader").Code, http.StatusNotFound)
	if a := p.Post(t, "/operator/view-as/end"); a.To() != "/operator" {
		t.Errorf("a second end: %d to %q", a.Code, a.To())
	}
	if a := p.Post(t, "/operator/view-as", "user", "trader-1", "reason", "again"); a.To() != "/trader" {
		t.Errorf("a second time: %d to %q", a.Code, a.To())
	}
}

// After its half hour the operator is themselves, whatever page they have open:
// what was the trader's is not there any more, and a part that a page asks for
// leads it away.
func TestViewAsIsOver(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.Viewer(t)
	want(t, "the button says", p.Page(t, "/trader").Find("form[action='/operator/view-as/end'] button").Text(), "Be yourself again")
	b.Exec(t, "update session set view_until = now() where view_until is not null")
	if a := p.Get(t, "/trader"); a.Code != http.StatusNotFound || portaltest.Band(t, a) != "" {
		t.Errorf("the desk: %d %s", a.Code, portaltest.Band(t, a))
	}
	if a := p.Get(t, "/trader/desk", "HX-Request", "true"); a.Header.Get("HX-Redirect") != "/" || a.Body != "" {
		t.Errorf("a part of it: %d %q", a.Code, a.Header.Get("HX-Redirect"))
	}
	want(t, "signed in is", p.Page(t, "/account").Find(".user span").Last().Text(), "helper")
}

// A passkey is made in the browser, and signs in from then on; without it the
// password is not enough.
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

// Whoever clicks twice to give their code, or to set up their app, is where one
// click leads to: the second one hangs up the answer with the session's new
// token, so it is not sent.
func TestFactorIsSentOnce(t *testing.T) {
	t.Parallel()
	b := portaltest.With(t, portaltest.Options{Production: true})
	b.User(t, "new", caller.Trader, caller.Owner, b.Traders[0].ID)
	tab := browsertest.New(t)
	signIn := func() {
		tab.Open(b.Server.URL + "/sign-in?next=/account")
		tab.Type("#login", "new")
		tab.Type("#password", portaltest.Password)
		tab.Click("main button[type=submit]")
	}
	twice := func() {
		tab.Slow(300 * time.Millisecond)
		browsertest.Eval[bool](tab, `(() => {
			const button = document.querySelector("main form.stack button[type=submit]");
			button.click();
			setTimeout(() => button.click(), 100);
			return true;
		})()`)
	}
	signIn()
	tab.Await("h1", "Set up a second factor")
	tab.Click(`a[href="/second-factor/app"]`)
	tab.Visible(".qr")
	secret := tab.Text(".mono")
	tab.Type("#code", code(t, secret, 0))
	twice()
	tab.Await("h1", "Recovery codes")
	tab.Slow(0)
	b.Exec(t, "delete from session")
	signIn()
	tab.Await("h1", "Second factor")
	tab.Type("#code", code(t, secret, 30*time.Second))
	twice()
	tab.Await("h1", "Account")
}

// A new user in production: the invitation's link asks for a password once,
// then a second factor must be set up before anything else opens, and from then
// on the password alone is not enough. All of it without script.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	b := portaltest.With(t, portaltest.Options{Production: true})
	_, link := testenv.Must2(b.Sessions.Create(t.Context(), portaltest.Admin, session.NewUser{
		Kind: caller.Trader, Login: "new", TraderID: &b.Traders[0].ID,
	}))(t)
	path := strings.TrimPrefix(link, b.Server.URL)
	p := b.Nobody()
	wantIn(t, "the invitation says", p.Page(t, path).Find("main").Text(), "You sign in as new.")
	// With none at all, old browsers would say that the form comes from
	// nowhere, and it would be refused.
	want(t, "the referrers", p.Get(t, path).Header.Get("Referrer-Policy"), "same-origin")
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
	want(t, "sent twice", b.Nobody().Post(t, path, "password", portaltest.Password, "again", portaltest.Password).Led(),
		"303 /sign-in invitation-over")
	secret := enrol(t, p)
	want(t, "the desk", p.Get(t, "/trader").Code, http.StatusOK)
	signsInWith(t, b, secret)
}

// enrol sets up an authenticator app, at the second try, and returns its
// secret.
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
	want(t, "sent twice", p.Post(t, "/account/app/remove").Led(), "303 /account factor-removed")
}
