package portals_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// Whoever looks as another user opens every page that they open, each says so, and everything that is
// posted is refused by a page that says so.
func TestViewAsEverywhere(t *testing.T) {
	t.Parallel()
	t.Run("trader", func(t *testing.T) { viewEverywhere(t, caller.Trader, "/merchant", 40) })
	t.Run("merchant", func(t *testing.T) { viewEverywhere(t, caller.MerchantPortal, "/trader", 20) })
}

// viewEverywhere looks as an owner, who has nothing at the addresses beyond, and wants at least so many pages to be there.
func viewEverywhere(t *testing.T, kind caller.Kind, beyond string, pages int) {
	t.Helper()
	const login = "looked-at"
	b := portaltest.Parallel(t)
	giveLogo(t, b)
	payment := b.Create(t, "1500")
	p := b.ViewerOf(t, kind, login)
	before, banded := kept(t, b), 0
	for _, pattern := range slices.Sorted(maps.Keys(patterns(t, b.Rooms))) {
		if strings.HasSuffix(pattern, "/trader/live") || slices.Contains(mayBePosted, pattern) ||
			strings.Contains(pattern, " "+beyond) || strings.HasPrefix(pattern, "GET /operator") ||
			pattern == "GET /merchant/payments/{id}/appeal" {
			continue // the first goes on for ever, the last has nothing to ask of an open payment
		}
		a := try(t, b, p, pattern, fmt.Sprint(payment.ID))
		if strings.HasPrefix(pattern, "POST ") || slices.Contains(begins, pattern) {
			wantAnswer(t, pattern, a, http.StatusForbidden, "Nothing was done: you look as "+login+" (owner)")
		} else if group := access[pattern]; group != "own" && group != "merchants" && verdict(pattern, a) != "let in" {
			t.Errorf("%s: %d %s", pattern, a.Code, a.Text())
		}
		if !strings.HasPrefix(a.Body, "<!doctype") || pattern == "GET /merchant/looks/preview" {
			continue // the preview is the payer's page
		}
		banded++
		testenv.Check(t, strings.HasPrefix(portaltest.Band(t, a), "You look as "+login+" (owner) until "),
			"%s says %q of who looks", pattern, portaltest.Band(t, a))
	}
	testenv.Check(t, banded >= pages, "only %d pages were looked at", banded)
	want(t, "there was", line(kept(t, b), b.Status(t, payment)), line(before, "pending"))
}

// begins are pages that begin to change something by being opened.
var begins = []string{"GET /second-factor/app", "GET /second-factor/passkey"}

// mayBePosted are what a session that looks may post: what ends it, and begins another.
var mayBePosted = []string{"POST /sign-in", "POST /sign-out", "POST /operator/view-as/end"}

// kept is what users and traders could have changed.
func kept(t *testing.T, b *portaltest.Bundle) string {
	t.Helper()
	kept := b.Text(t, `select jsonb_build_array(
		(select jsonb_agg(u order by u.id) from app_user u), (select jsonb_agg(r order by r.id) from requisite r),
		(select jsonb_agg(d order by d.id) from trader d), (select count(*) from saved_view),
		(select jsonb_agg(s.id order by s.id) from session s), (select count(*) from submission))::text`)
	return kept
}
