package portals_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// On a phone the many pages of an operator or a merchant are in a menu, which works without a script.
func TestMenu(t *testing.T) {
	b := portaltest.Parallel(t)
	page := b.Operator(t, caller.Admin).Page(t, "/operator/rates")
	want(t, "where", page.Find("#menu .pocket span").Text(), "Rates and routing › Rates")
	want(t, "opens", page.Find("#menu .opens").AttrOr("href", ""), "#menu")
	page = b.As(t, caller.Owner).Page(t, "/merchant/team")
	want(t, "where a merchant is", page.Find("#menu .pocket span").Text(), "Settings › Team")
	want(t, "traders have none", b.Trader(t, 0).Page(t, "/trader").Find(".pocket").Length(), 0)
}

// Everybody lands where they work, with the pages that their role has.
func TestMerchantNavigation(t *testing.T) {
	b := portaltest.Parallel(t)
	for role, expected := range map[caller.Role]string{
		caller.Owner: "Overview Payments Payments Payouts Appeals Blocked payers Money Deposits Balance Statement " +
			"Developers API keys Webhooks Events Requests Signature check Settings Page looks Team Log You Account",
		caller.Finance: "Overview Payments Payments Payouts Appeals Blocked payers Money Deposits Balance Statement You Account",
		caller.Developer: "Overview Payments Payments Payouts Appeals Blocked payers " +
			"Developers API keys Webhooks Events Requests Signature check Settings Page looks You Account",
		caller.Support: "Overview Payments Payments Payouts Appeals Blocked payers You Account",
	} {
		p := b.As(t, role)
		a := p.Post(t, "/sign-in", "login", "merchant-"+string(role), "password", portaltest.Password)
		want(t, "landing", a.To(), "/merchant")
		want(t, string(role), words(p.Page(t, "/merchant").Find(".nav")), expected)
	}
}
