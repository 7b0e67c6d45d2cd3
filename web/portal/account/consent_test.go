package account_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/web/portal/portaltest"
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
