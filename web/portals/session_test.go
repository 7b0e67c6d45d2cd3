package portals_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/web/portal/portaltest"
)

// A session ends after half an hour without use and, however much it is used, after twelve; while
// the trader receives payments only the latter. What a page asks by itself is no use.
func TestSessionEnds(t *testing.T) {
	b := portaltest.Parallel(t)
	idle, receiving, old := b.Trader(t, 0), b.Trader(t, 1), b.SignIn(t, "owner-1")
	idle.Post(t, "/trader/break", "on", "1")
	age := func(p *portaltest.Person, seen, began time.Duration) {
		t.Helper()
		b.Exec(t, `update session set seen_at = now() - $1::interval,
			created_at = now() - $2::interval, expires_at = now() - $2::interval + interval '12 hours'
			where id = (select max(id) from session where user_id = (select id from app_user where login = $3))`,
			seen, began, map[bool]string{true: "owner-2", false: "owner-1"}[p == receiving])
	}
	opens := func(p *portaltest.Person) bool { t.Helper(); return p.Get(t, "/trader").Code == http.StatusOK }
	age(old, 29*time.Minute, time.Hour)
	if a := old.Get(t, "/trader/desk", "HX-Request", "true"); a.Code != http.StatusOK {
		t.Fatalf("the region: %d", a.Code)
	}
	var seen time.Duration
	b.Get(t, &seen, `select now() - max(seen_at) from session
		where created_at < now() - interval '30 minutes'`)
	if seen < 28*time.Minute {
		t.Errorf("a region that a page asked for by itself counts as use: seen %s ago", seen)
	}
	age(old, 31*time.Minute, time.Hour)
	if opens(old) {
		t.Error("a session is alive after 31 minutes without use")
	}
	age(receiving, 11*time.Hour, 11*time.Hour)
	if !opens(receiving) {
		t.Error("the session of a trader who receives ends after 11 hours")
	}
	age(receiving, time.Minute, 12*time.Hour+time.Second)
	if opens(receiving) {
		t.Error("a session is alive after 12 hours")
	}
	if !opens(idle) {
		t.Error("a fresh session does not open")
	}
}

// A part of a page that is asked for after the session has ended leads the page to the sign-in.
func TestExpiredFragment(t *testing.T) {
	b := portaltest.Parallel(t)
	a := b.Nobody().Get(t, "/trader/desk", "HX-Request", "true")
	if a.Code != http.StatusOK || !strings.HasPrefix(a.Header.Get("HX-Redirect"), "/sign-in") || a.Body != "" {
		t.Errorf("%d %q %q", a.Code, a.Header.Get("HX-Redirect"), a.Body)
	}
}

// A user may ask for pages as often as anybody can read them, and no script more often.
func TestPagesAreBounded(t *testing.T) {
	b := portaltest.Parallel(t)
	b.Exec(t, "update rate_limit set calls = 5, per_seconds = 60 where name = 'user'")
	noError(t, b.Rooms.Limits.Load(t.Context()))
	p := b.Trader(t, 0)
	var last portaltest.Answer
	for range 8 {
		last = p.Get(t, "/account")
	}
	wantAnswer(t, "the last try", last, http.StatusTooManyRequests, "Too many tries")
	want(t, "somebody else", b.Nobody().Get(t, "/sign-in").Code, http.StatusOK)
}
