package account_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

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
