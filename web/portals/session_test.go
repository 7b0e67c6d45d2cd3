package portals_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway.example/web/portal/portaltest"
)

// What a page asks for by itself is no use of the session, which ends while it is only asked for so.
func TestRegionsAreNoUse(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Exec(t, "update session set seen_at = now() - interval '29 minutes'")
	want(t, "the region", p.Get(t, "/trader/desk", "HX-Request", "true").Code, http.StatusOK)
	want(t, "seen since", b.Count(t, "select count(*) from session where seen_at > now() - interval '28 minutes'"), 0)
	want(t, "a page", p.Get(t, "/trader").Code, http.StatusOK)
	want(t, "seen then", b.Count(t, "select count(*) from session where seen_at > now() - interval '28 minutes'"), 1)
}

// A part of a page that is asked for after the session has ended leads the page to the sign-in.
func TestExpiredFragment(t *testing.T) {
	b := portaltest.Parallel(t)
	a := b.Nobody().Get(t, "/trader/desk", "HX-Request", "true")
	want(t, "the page leads to the sign-in", line(a.Code, strings.HasPrefix(a.Header.Get("HX-Redirect"), "/sign-in"), a.Body),
		line(http.StatusOK, true, ""))
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
