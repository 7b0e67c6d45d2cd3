package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
)

// letIn has an operator invite a user, who takes the invitation up.
func (b *bundle) letIn(t testing.TB, n session.NewUser) *person {
	t.Helper()
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Admin}
	operator.ID = b.user(t, "root", caller.Operator, caller.Admin, 0)
	_, link, err := b.sessions.Create(context.Background(), operator, n)
	noError(t, err)
	_, token, _ := strings.Cut(link, "/invitation/")
	p := b.nobody()
	a := p.post(t, "/invitation/"+token, "password", password, "again", password)
	want(t, "taken up", a.code, http.StatusSeeOther)
	return p
}

// askedMerchant and askedTrader are owners who are asked about somebody.
func (b *bundle) askedMerchant(t testing.TB) *person {
	t.Helper()
	b.user(t, "anna", caller.MerchantPortal, caller.Owner, b.merchant.ID)
	b.letIn(t, session.NewUser{Kind: caller.MerchantPortal, Login: "puppet@example.com", MerchantID: &b.merchant.ID})
	return b.signIn(t, "anna")
}

func (b *bundle) askedTrader(t testing.TB) *person {
	t.Helper()
	b.user(t, "anna", caller.Trader, caller.Owner, b.traders[0].ID)
	b.letIn(t, session.NewUser{Kind: caller.Trader, Login: "puppet@example.com", TraderID: &b.traders[0].ID})
	return b.signIn(t, "anna")
}

// asking is what a page says of consent above everything else.
func asking(t *testing.T, a answer) string {
	t.Helper()
	return strings.Join(strings.Fields(a.page(t).Find(".asking").Text()), " ")
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
			caller.MerchantPortal, "/merchant",
			[]string{"", "/payments", "/team", "/nowhere"},
			[]string{"/team/invite"},
		},
		"trader": {
			caller.Trader, "/trader",
			[]string{"", "/payments", "/requisites", "/nowhere"},
			[]string{"/shift", "/payouts/00000000-0000-0000-0000-000000000000/take"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, options{})
			n := session.NewUser{Kind: of.kind, Login: "<i>puppet</i>", MerchantID: &b.merchant.ID}
			id := b.merchant.ID
			if of.kind == caller.Trader {
				id, n.MerchantID, n.TraderID = b.traders[0].ID, nil, &b.traders[0].ID
			}
			b.user(t, "anna", of.kind, caller.Owner, id)
			puppet, owner := b.letIn(t, n), b.signIn(t, "anna")
			for _, page := range of.pages {
				a := owner.get(t, of.home+page)
				wantIn(t, page, asking(t, a), "An operator has let in <i>puppet</i> (owner). Accept or refuse by ")
				want(t, "a login's elements", a.page(t).Find(".asking i").Length(), 0)
			}
			wantIn(
				t,
				"who waits",
				asking(t, puppet.get(t, of.home)),
				"Your account waits for the consent of an owner until ",
			)
			for _, act := range of.acts {
				a := puppet.post(t, of.home+act)
				wantAnswer(t, act, a, http.StatusForbidden, "Your account waits for the consent of an owner until ")
			}
			refuse, _ := owner.page(t, of.home+"/consent").Find("form[action$='/refuse']").Attr("action")
			for _, answer := range []string{"consent-refuse", "consent-over"} { // a double click
				a := owner.post(t, refuse)
				want(
					t,
					"refused",
					line(a.code, a.to(), owner.cookies["flash"]),
					fmt.Sprintf("303 %s %s", of.home, answer),
				)
			}
			want(t, "the puppet", puppet.get(t, of.home).to(), "/sign-in?next="+strings.ReplaceAll(of.home, "/", "%2F"))
			want(t, "nobody is asked about", asking(t, owner.get(t, of.home)), "")
		})
	}
}

// An owner without a second factor is led to set one up before they accept somebody, or make a key.
func TestOwnerWithoutFactorEnrols(t *testing.T) {
	t.Parallel()
	b := setup(t, options{production: true})
	owner := b.askedMerchant(t)
	accept, _ := owner.page(t, "/merchant/consent").Find("form[action$='/accept']").Attr("action")
	want(t, "accept", owner.post(t, accept).to(), "/second-factor/enrol")
	want(t, "a colleague", owner.get(t, "/merchant/team/invite").to(), "/second-factor/enrol")
	wantIn(t, "still asked", asking(t, owner.get(t, "/merchant")), "puppet")
}
