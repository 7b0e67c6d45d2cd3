package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
)

// Signing in leads to the desk, and signing out ends the session for good: its cookie is worth
// nothing any more.
func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	want(t, "the desk is headed", p.page(t, "/trader").Find("h1").Text(), "Desk")
	kept := p.cookie()
	if a := p.post(t, "/sign-out"); a.code != http.StatusSeeOther || a.to() != "/sign-in" || p.cookie() != "" {
		t.Errorf("signed out: %d to %q, cookie %q", a.code, a.to(), p.cookie())
	}
	p.cookies["session"] = kept
	if a := p.get(t, "/trader"); a.code != http.StatusSeeOther || a.to() != "/sign-in?next=%2Ftrader" {
		t.Errorf("a replayed cookie: %d to %q", a.code, a.to())
	}
}

// A wrong password, an unknown login and a user who is switched off get the same page, with the login
// still in it and no password.
func TestSignInRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	off := b.user(t, "off", caller.Trader, caller.Owner, b.traders[0].ID)
	b.Exec(t, "update app_user set enabled = false where id = $1", off)
	b.user(t, "owner", caller.Trader, caller.Owner, b.traders[0].ID)
	for login, given := range map[string]string{"owner": "wrong password", "nobody": password, "off": password} {
		p := b.nobody()
		a := p.post(t, "/sign-in", "login", login, "password", given)
		wantAnswer(t, login, a, http.StatusUnprocessableEntity, "Login or password is wrong.")
		if p.cookie() != "" || strings.Contains(a.body, given) {
			t.Errorf("%s: the answer has a cookie, or the password in it", login)
		}
		want(t, "the login typed is", a.page(t).Find("#login").AttrOr("value", ""), login)
	}
}

// What a user was asked for is where they are led; another site is not.
func TestNext(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "owner", caller.Trader, caller.Owner, b.traders[0].ID)
	for next, wanted := range map[string]string{
		"/trader/payments?status=pending": "/trader/payments?status=pending", "https://evil.example/": "/trader",
		"//evil.example/": "/trader", `/\evil.example`: "/trader", "javascript:alert(1)": "/trader", "": "/trader",
		"///evil.example/": "/trader", "////evil.example/": "/trader", `//\evil.example/`: "/trader", `\\evil.example`: "/trader",
		"/\t/evil.example/": "/trader", "/\n/evil.example/": "/trader", " //evil.example/": "/trader", "evil.example": "/trader",
		"https:evil.example": "/trader", "https:///evil.example": "/trader", "data:text/html,x": "/trader",
		"/trader/payments?q=//evil.example": "/trader/payments?q=//evil.example",
	} {
		a := b.nobody().post(t, "/sign-in?next="+url.QueryEscape(next), "login", "owner", "password", password)
		want(t, next+" leads to", a.to(), wanted)
	}
}

// Whoever puts a cookie of their own into a victim's browser is not in the victim's session after
// the victim has signed in.
func TestFixation(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	attacker := b.trader(t, 0)
	b.user(t, "victim", caller.Trader, caller.Owner, b.traders[1].ID)
	victim := b.nobody()
	victim.cookies["session"] = attacker.cookie()
	victim.post(t, "/sign-in", "login", "victim", "password", password)
	if victim.cookie() == attacker.cookie() {
		t.Fatal("the victim's session has the attacker's cookie")
	}
	want(t, "the attacker's cookie still opens", attacker.get(t, "/trader").code, http.StatusSeeOther)
}

// Posts of another site, and of no browser at all, are refused.
func TestForeignPosts(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	for name, headers := range map[string][]string{
		"another site":      {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
		"a sibling":         {"Sec-Fetch-Site", "same-site", "Origin", "https://shop.portal.example"},
		"an older browser":  {"Origin", "https://evil.example"},
		"who says nothing":  {},
		"an opaque origin":  {"Origin", "null"},
		"a frame elsewhere": {"Sec-Fetch-Site", "cross-site", "Origin", "null"},
	} {
		a := p.postForm(t, "/trader/break", url.Values{"on": {"1"}}, headers...)
		want(t, name, a.code, http.StatusForbidden)
	}
	if on, err := b.settings.Break(t.Context(), b.asTrader()); err != nil || on {
		t.Errorf("the break is %t, %v", on, err)
	}
	want(t, "our own page", p.post(t, "/trader/break", "on", "1").code, http.StatusSeeOther)
}

// A session ends after half an hour without use and, however much it is used, after twelve; on a
// shift only the latter. What a page asks by itself is no use.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	idle, shift, old := b.trader(t, 0), b.trader(t, 1), b.signIn(t, "owner-1")
	shift.post(t, "/trader/shift", "on", "1")
	age := func(p *person, seen, began time.Duration) {
		t.Helper()
		b.Exec(t, `update session set seen_at = now() - $1::interval,
			created_at = now() - $2::interval, expires_at = now() - $2::interval + interval '12 hours'
			where id = (select max(id) from session where user_id = (select id from app_user where login = $3) and on_shift = $4)`,
			seen, began, map[bool]string{true: "owner-2", false: "owner-1"}[p == shift], p == shift)
	}
	opens := func(p *person) bool { t.Helper(); return p.get(t, "/trader").code == http.StatusOK }
	age(old, 29*time.Minute, time.Hour)
	if a := old.get(t, "/trader/desk", "HX-Request", "true"); a.code != http.StatusOK {
		t.Fatalf("the region: %d", a.code)
	}
	var seen time.Duration
	noError(
		t,
		b.Pool.QueryRow(t.Context(), "select now() - max(seen_at) from session where not on_shift and created_at < now() - interval '30 minutes'").
			Scan(&seen),
	)
	if seen < 28*time.Minute {
		t.Errorf("a region that a page asked for by itself counts as use: seen %s ago", seen)
	}
	age(old, 31*time.Minute, time.Hour)
	if opens(old) {
		t.Error("a session is alive after 31 minutes without use")
	}
	age(shift, 11*time.Hour, 11*time.Hour)
	if !opens(shift) {
		t.Error("a shift ends after 11 hours")
	}
	age(shift, time.Minute, 12*time.Hour+time.Second)
	if opens(shift) {
		t.Error("a session is alive after 12 hours")
	}
	if !opens(idle) {
		t.Error("a fresh session does not open")
	}
}

// A part of a page that is asked for after the session has ended leads the page to the sign-in.
func TestExpiredFragment(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	a := b.nobody().get(t, "/trader/desk", "HX-Request", "true")
	if a.code != http.StatusOK || !strings.HasPrefix(a.header.Get("HX-Redirect"), "/sign-in") || a.body != "" {
		t.Errorf("%d %q %q", a.code, a.header.Get("HX-Redirect"), a.body)
	}
}

// A user may ask for pages as often as anybody can read them, and no script more often.
func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.Exec(t, "update rate_limit set calls = 5, per_seconds = 60 where name = 'user'")
	noError(t, b.rooms.Limits.Load(t.Context()))
	p := b.trader(t, 0)
	var last answer
	for range 8 {
		last = p.get(t, "/account")
	}
	wantAnswer(t, "the last try", last, http.StatusTooManyRequests, "Too many tries")
	want(t, "somebody else", b.nobody().get(t, "/sign-in").code, http.StatusOK)
}
