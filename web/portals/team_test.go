package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

func memberPath(id int64, step string) string { return fmt.Sprintf("/merchant/team/%d%s", id, step) }

// An owner invites somebody by a link that is shown once and works once.
func TestInvite(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	page := p.Page(t, "/merchant/team/invite")
	a := p.Post(t, "/merchant/team/invite", hidden(page, "login", "merchant-owner", "role", "finance")...)
	want(t, "a login that is taken", a.At(t, ".wrong"), "422 is taken")
	want(t, "typed", a.Page(t).Find("#login").AttrOr("value", ""), "merchant-owner")
	a = p.Post(t, "/merchant/team/invite", hidden(page, "login", "x", "role", "admin")...)
	want(t, "a foreign role", a.Code, http.StatusUnprocessableEntity)
	fields := hidden(p.Page(t, "/merchant/team/invite"), "login", "<i>new</i>", "role", "finance")
	a = p.Post(t, "/merchant/team/invite", fields...)
	_, token, found := strings.Cut(a.Page(t).Find("#secret").Text(), "/invitation/")
	want(t, "invited", line(a.Code, found), line(http.StatusOK, true))
	want(t, "a name's elements", a.Page(t).Find("main i").Length(), 0)
	want(t, "sent twice", p.Post(t, "/merchant/team/invite", fields...).Led(), "303 /merchant/team invited-before")
	wantIn(t, "the team", words(p.Page(t, "/merchant/team").Find("main")), "<i>new</i> Finance not set up not signed in Invited")
	invited := b.Nobody()
	a = invited.Post(t, "/invitation/"+token, "password", portaltest.Password, "again", portaltest.Password)
	want(t, "accepted", a.Code, http.StatusSeeOther)
	want(t, "no team of theirs", invited.Get(t, "/merchant/team").Code, http.StatusForbidden)
}

// An owner changes roles, switches users off and ends their sessions, but never leaves no owner.
func TestManageTeam(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	other := b.User(t, "other", caller.MerchantPortal, caller.Developer, b.Merchant.ID)
	own := int64(b.Count(t, "select id from app_user where login = 'merchant-owner'"))
	want(t, "another kind", p.Get(t, memberPath(b.User(t, "t", caller.Trader, caller.Owner, b.Traders[0].ID), "")).Code,
		http.StatusNotFound)
	want(t, "an unknown role", p.Post(t, memberPath(other, "/role"), "role", "king").Code, http.StatusUnprocessableEntity)
	for _, step := range []string{"/off", "/role", "/reinvite"} {
		a := p.Post(t, memberPath(own, step), hidden(p.Page(t, memberPath(own, "/reinvite")), "role", "support")...)
		want(t, "the last owner: "+step, line(a.Code, p.Cookies["flash"], b.UserStands(t, own)), "303 last-owner owner true true")
	}
	p.Post(t, memberPath(other, "/role"), "role", "finance")
	want(t, "another role", b.UserStands(t, other), "finance true true")
	signed := b.SignIn(t, "other")
	p.Post(t, memberPath(other, "/end"))
	want(t, "ended", signed.Get(t, "/account").Code, http.StatusSeeOther)
	p.Post(t, memberPath(other, "/off"))
	want(t, "off", b.UserStands(t, other), "finance false true")
	p.Post(t, memberPath(other, "/on"))
	fields := hidden(p.Page(t, memberPath(other, "/reinvite")))
	a := p.Post(t, memberPath(other, "/reinvite"), fields...)
	want(t, "invited anew", line(a.Page(t).Find("#secret").Length(), b.UserStands(t, other)), "1 finance true false")
	want(t, "sent twice", p.Post(t, memberPath(other, "/reinvite"), fields...).Led(), "303 "+memberPath(other, "")+" invited-before")
	text := words(p.Page(t, "/merchant/log").Find("main"))
	wantIn(t, "the log", text, `role: "developer" → "finance"`, "enabled: true → false", "Sessions of user № ")
	wantNot(t, "a stranger's log", words(b.Stranger(t).Page(t, "/merchant/log").Find("main")), "finance", "merchant-owner")
}
