package account_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

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
)

// asking is what a page says of consent above everything else.
func asking(t *testing.T, a portaltest.Answer) string {
	t.Helper()
	return strings.Join(strings.Fields(a.Page(t).Find(".asking").Text()), " ")
}

// Every page of an owner tells of a user whom an operator let in, who can only look; the owner refuses, and they are out.
func TestOwnerRefuses(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		kind        caller.Kind
		home        string
		pages, acts []string
	}{
		"merchant": {
			caller.MerchantPortal, "/merchant", []string{"", "/payments", "/team", "/nowhere"}, []string{"/team/invite"},
		},
		"trader": {
			caller.Trader, "/trader", []string{"", "/payments", "/requisites", "/nowhere"},
			[]string{"/break", "/payouts/00000000-0000-0000-0000-000000000000/take"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := portaltest.Parallel(t)
			n := session.NewUser{Kind: of.kind, Login: "<i>puppet</i>", MerchantID: &b.Merchant.ID}
			id := b.Merchant.ID
			if of.kind == caller.Trader {
				id, n.MerchantID, n.TraderID = b.Traders[0].ID, nil, &b.Traders[0].ID
			}
			b.User(t, "anna", of.kind, caller.Owner, id)
			puppet, owner := b.LetIn(t, n), b.SignIn(t, "anna")
			for _, page := range of.pages {
				a := owner.Get(t, of.home+page)
				wantIn(t, page, asking(t, a), "An operator has let in <i>puppet</i> (owner). Accept or refuse by ")
				want(t, "a login's elements", a.Page(t).Find(".asking i").Length(), 0)
			}
			wantIn(t, "who waits", asking(t, puppet.Get(t, of.home)), "Your account waits for the consent of an owner until ")
			for _, act := range of.acts {
				a := puppet.Post(t, of.home+act)
				wantAnswer(t, act, a, http.StatusForbidden, "Your account waits for the consent of an owner until ")
			}
			refuse, _ := owner.Page(t, of.home+"/consent").Find("form[action$='/refuse']").Attr("action")
			for _, answer := range []string{"consent-refuse", "consent-over"} { // a double click
				want(t, "refused", owner.Post(t, refuse).Led(), fmt.Sprintf("303 %s %s", of.home, answer))
			}
			want(t, "the puppet", puppet.Get(t, of.home).To(), "/sign-in?next="+strings.ReplaceAll(of.home, "/", "%2F"))
			want(t, "nobody is asked about", asking(t, owner.Get(t, of.home)), "")
		})
	}
}

// An owner without a second factor is led to set one up before they accept somebody, or make a key.
func TestOwnerWithoutFactorEnrols(t *testing.T) {
	t.Parallel()
	owner := portaltest.With(t, portaltest.Options{Production: true}).AskedMerchant(t)
	accept, _ := owner.Page(t, "/merchant/consent").Find("form[action$='/accept']").Attr("action")
	want(t, "accept", owner.Post(t, accept).To(), "/second-factor/enrol")
	want(t, "a colleague", owner.Get(t, "/merchant/team/invite").To(), "/second-factor/enrol")
	wantIn(t, "still asked", asking(t, owner.Get(t, "/merchant")), "puppet")
}

// The operator begins on their account, sees the trader's desk in their own language and zone, ends
// it there and is themselves again, with what they may and nothing of the trader's.
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

// After its half hour the operator is themselves, whatever page they have open: what was the trader's
// is not there any more, and a part that a page asks for leads it away.
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

// What is wrong with the form is said beside its fields, with what was typed; a second factor that is
// too old is asked for first, and who may not look as others gets no form.
func TestViewAsForm(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "root", caller.Operator, caller.Admin, 0)
	b.User(t, "other", caller.Operator, caller.Admin, 0)
	b.User(t, "auditor", caller.Operator, caller.Auditor, 0)
	p := b.SignIn(t, "root")
	a := p.Post(t, "/operator/view-as", "user", "other", "reason", "")
	page := a.Page(t)
	testenv.Check(t, a.Code == http.StatusUnprocessableEntity && page.Find("#reason-wrong").Text() != "" &&
		page.Find("#user").AttrOr("value", "") == "other", "%d %s", a.Code, a.Text())
	a = p.Post(t, "/operator/view-as", "user", "other", "reason", "why")
	wrong := a.Page(t).Find("#user-wrong").Text()
	testenv.Check(t, a.Code == http.StatusUnprocessableEntity && strings.Contains(wrong, "no operator"),
		"another operator: %d %q", a.Code, wrong)
	b.Exec(t, "update session set created_at = now() - interval '6 minutes'")
	want(t, "there is no form for who has to prove again that it is them",
		p.Page(t, "/account").Find("form[action='/operator/view-as']").Length(), 1)
	a = p.Post(t, "/operator/view-as", "user", "other", "reason", "why")
	testenv.Check(t, strings.HasPrefix(a.To(), "/second-factor"), "an old second factor: %d to %q", a.Code, a.To())
	want(t, "an auditor has the form", b.SignIn(t, "auditor").Page(t, "/account").Find("form[action='/operator/view-as']").Length(), 0)
}
