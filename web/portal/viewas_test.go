package portal_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal"
)

// viewer is an operator of support, who looks as the owner of the first trader.
func (b *bundle) viewer(t testing.TB) *person {
	t.Helper()
	return b.viewerOf(t, looked{login: "trader-1", home: "/trader", kind: caller.Trader})
}

func (b *bundle) viewerOf(t testing.TB, as looked) *person {
	t.Helper()
	of := b.traders[0].ID
	if as.kind == caller.MerchantPortal {
		of = b.merchant.ID
	}
	b.user(t, "helper", caller.Operator, caller.Support, 0)
	b.user(t, as.login, as.kind, caller.Owner, of)
	p := b.signIn(t, "helper")
	a := p.post(t, "/operator/view-as", "user", as.login, "reason", "They see no payments")
	if a.code != http.StatusSeeOther || a.to() != as.home {
		t.Fatalf("looking as %s: %d to %q: %s", as.login, a.code, a.to(), a.text())
	}
	return p
}

// band is what a page says of who looks.
func band(t *testing.T, a answer) string {
	t.Helper()
	return strings.Join(strings.Fields(a.page(t).Find(".viewing p").Text()), " ")
}

// looked is whom an operator looks as: the name of a login, its address, and those it lacks.
type looked struct {
	login, home, beyond string
	kind                caller.Kind
	pages               int
}

// Whoever looks as another user opens every page that they open, each says so, and everything that is
// posted is refused by a page that says so.
func TestViewAsEverywhere(t *testing.T) {
	t.Parallel()
	for _, as := range []looked{
		{login: "trader-1", home: "/trader", beyond: "/merchant", kind: caller.Trader, pages: 40},
		{login: "shop", home: "/merchant", beyond: "/trader", kind: caller.MerchantPortal, pages: 20},
	} {
		t.Run(as.login, func(t *testing.T) { t.Parallel(); viewEverywhere(t, as) })
	}
}

func viewEverywhere(t *testing.T, as looked) {
	t.Helper()
	b := setup(t, options{})
	payment := b.create(t, "1500")
	p := b.viewerOf(t, as)
	before, banded := b.kept(t), 0
	for _, pattern := range slices.Sorted(maps.Keys(portal.Patterns(b.rooms))) {
		if strings.HasSuffix(pattern, "/trader/live") || slices.Contains(mayBePosted, pattern) ||
			strings.Contains(pattern, " "+as.beyond) || strings.HasPrefix(pattern, "GET /operator") ||
			pattern == "GET /merchant/payments/{id}/appeal" {
			continue // the first goes on for ever, the last has nothing to ask of an open payment
		}
		a := b.try(t, p, pattern, fmt.Sprint(payment.ID))
		if strings.HasPrefix(pattern, "POST ") || slices.Contains(begins, pattern) {
			wantAnswer(t, pattern, a, http.StatusForbidden,
				"Nothing was done: you look as "+as.login+" (owner)")
		} else if group := access[pattern]; group != "own" && group != "merchants" && verdict(pattern, a) != "let in" {
			t.Errorf("%s: %d %s", pattern, a.code, a.text())
		}
		if !strings.HasPrefix(a.body, "<!doctype") || pattern == "GET /merchant/looks/preview" {
			continue // the preview is the payer's page
		}
		banded++
		if !strings.HasPrefix(band(t, a), "You look as "+as.login+" (owner) until ") {
			t.Errorf("%s says %q of who looks", pattern, band(t, a))
		}
	}
	if banded < as.pages {
		t.Errorf("only %d pages were looked at", banded)
	}
	want(t, "there was", line(b.kept(t), b.status(t, payment)), line(before, "pending"))
}

// begins are pages that begin to change something by being opened.
var begins = []string{"GET /second-factor/app", "GET /second-factor/passkey"}

// mayBePosted are what a session that looks may post: what ends it, and begins another.
var mayBePosted = []string{"POST /sign-in", "POST /sign-out", "POST /operator/view-as/end"}

// kept is what users and traders could have changed.
func (b *bundle) kept(t *testing.T) string {
	t.Helper()
	kept := b.Text(t, `select jsonb_build_array(
		(select jsonb_agg(u order by u.id) from app_user u), (select jsonb_agg(r order by r.id) from requisite r),
		(select jsonb_agg(d order by d.id) from trader d), (select count(*) from saved_view),
		(select jsonb_agg(s.id order by s.id) from session s), (select count(*) from submission))::text`)
	return kept
}

// The operator begins on their account, sees the trader's desk in their own language and zone, ends
// it there and is themselves again, with what they may and nothing of the trader's.
func TestViewAsAndBack(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "trader-1", caller.Trader, caller.Owner, b.traders[0].ID)
	b.user(t, "root", caller.Operator, caller.Admin, 0)
	p := b.signIn(t, "root")
	p.post(t, "/account/preferences", "zone", "Europe/Istanbul", "language", "ru", "theme", "dark")
	form := p.page(t, "/account").Find("form[action='/operator/view-as']")
	if form.Find("#user").Length() != 1 || form.Find("#reason").Length() != 1 {
		t.Fatal("there is no form to begin")
	}
	began := time.Now()
	if a := p.post(t, "/operator/view-as", "user", " trader-1 ", "reason", "why"); a.to() != "/trader" {
		t.Fatalf("%d to %q", a.code, a.to())
	}
	a := p.get(t, "/trader")
	istanbul, err := time.LoadLocation("Europe/Istanbul")
	noError(t, err)
	var wanted []string
	for _, second := range []time.Duration{0, time.Minute} {
		wanted = append(wanted, fmt.Sprintf("Вы смотрите как trader-1 (владелец) до %s: менять ничего нельзя.",
			began.Add(30*time.Minute+second).In(istanbul).Format("15:04")))
	}
	if got := band(t, a); !slices.Contains(wanted, got) {
		t.Errorf("the band says %q, want %q", got, wanted)
	}
	testenv.Want(t, p.page(t, "/account").Find("#zone").AttrOr("value", ""), "UTC", "the trader's zone is shown as")
	p.post(t, "/operator/view-as/end")
	p.cookies["flash"] = "view-as-ended"
	a = p.get(t, "/account")
	if band(t, a) != "" || !strings.Contains(a.text(), "Вы снова работаете от своего имени.") ||
		!strings.Contains(a.text(), "Администратор") {
		t.Errorf("afterwards %s", a.text())
	}
	want(t, "the desk is still open", p.get(t, "/trader").code, http.StatusNotFound)
	if a := p.post(t, "/operator/view-as/end"); a.to() != "/operator" {
		t.Errorf("a second end: %d to %q", a.code, a.to())
	}
	if a := p.post(t, "/operator/view-as", "user", "trader-1", "reason", "again"); a.to() != "/trader" {
		t.Errorf("a second time: %d to %q", a.code, a.to())
	}
}

// After its half hour the operator is themselves, whatever page they have open: what was the trader's
// is not there any more, and a part that a page asks for leads it away.
func TestViewAsIsOver(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.viewer(t)
	end := p.page(t, "/trader").Find("form[action='/operator/view-as/end'] button")
	want(t, "the button says", end.Text(), "Be yourself again")
	b.Exec(t, "update session set view_until = now() where view_until is not null")
	if a := p.get(t, "/trader"); a.code != http.StatusNotFound || band(t, a) != "" {
		t.Errorf("the desk: %d %s", a.code, band(t, a))
	}
	if a := p.get(t, "/trader/desk", "HX-Request", "true"); a.header.Get("HX-Redirect") != "/" || a.body != "" {
		t.Errorf("a part of it: %d %q", a.code, a.header.Get("HX-Redirect"))
	}
	want(t, "signed in is", p.page(t, "/account").Find(".user span").Last().Text(), "helper")
}

// What is wrong with the form is said beside its fields, with what was typed; a second factor that is
// too old is asked for first, and who may not look as others gets no form.
func TestViewAsForm(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "root", caller.Operator, caller.Admin, 0)
	b.user(t, "other", caller.Operator, caller.Admin, 0)
	b.user(t, "auditor", caller.Operator, caller.Auditor, 0)
	p := b.signIn(t, "root")
	a := p.post(t, "/operator/view-as", "user", "other", "reason", "")
	page := a.page(t)
	if a.code != http.StatusUnprocessableEntity || page.Find("#reason-wrong").Text() == "" ||
		page.Find("#user").AttrOr("value", "") != "other" {
		t.Errorf("%d %s", a.code, a.text())
	}
	a = p.post(t, "/operator/view-as", "user", "other", "reason", "why")
	wrong := a.page(t).Find("#user-wrong").Text()
	if a.code != http.StatusUnprocessableEntity || !strings.Contains(wrong, "no operator") {
		t.Errorf("another operator: %d %q", a.code, wrong)
	}
	b.Exec(t, "update session set created_at = now() - interval '6 minutes'")
	want(t, "there is no form for who has to prove again that it is them",
		p.page(t, "/account").Find("form[action='/operator/view-as']").Length(), 1)
	a = p.post(t, "/operator/view-as", "user", "other", "reason", "why")
	if !strings.HasPrefix(a.to(), "/second-factor") {
		t.Errorf("an old second factor: %d to %q", a.code, a.to())
	}
	want(t, "an auditor has the form",
		b.signIn(t, "auditor").page(t, "/account").Find("form[action='/operator/view-as']").Length(), 0)
}
