package portal_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/web/browsertest"
)

// directoryPages are those of the directory, by what they show.
func (b *bundle) directoryPages(t testing.TB, admin *person) map[string]string {
	t.Helper()
	requisite := fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0])
	trader := fmt.Sprintf("/operator/traders/%d", b.traders[0].ID)
	box := fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID)
	for i := range 3 {
		admin.made(t, requisite, "dailyCount", strconv.Itoa(20+i), "holder", "A holder with a rather long name")
	}
	admin.made(t, trader+"/processor", "url", "https://cards.example/of/a/rather/long/path/that/goes/on",
		"keyId", "k1", "secret", "0123456789abcdef")
	id := b.user(t, "a.very.long.login.of.somebody@example.com", caller.MerchantPortal, caller.Owner, b.merchant.ID)
	b.user(t, "desk", caller.Trader, caller.Desk, b.traders[0].ID)
	return map[string]string{
		"merchants":     "/operator/merchants",
		"no merchants":  "/operator/merchants?q=nothing&on=0",
		"new merchant":  "/operator/merchants/new",
		"merchant":      fmt.Sprintf("/operator/merchants/%d", b.merchant.ID),
		"cashboxes":     "/operator/cashboxes",
		"new cashbox":   "/operator/cashboxes/new",
		"cashbox":       box,
		"method":        box + "/methods/sbp",
		"payout method": box + "/payouts/sbp",
		"traders":       "/operator/traders",
		"new trader":    "/operator/traders/new",
		"trader":        trader,
		"trader's pay":  trader + "/payouts/RUB/sbp",
		"processor":     trader + "/processor",
		"remove":        trader + "/processor/remove",
		"requisites":    "/operator/requisites",
		"new requisite": "/operator/requisites/new",
		"requisite":     requisite,
		"users":         "/operator/users",
		"new user":      "/operator/users/new",
		"user":          fmt.Sprintf("/operator/users/%d", id),
		"switch off":    fmt.Sprintf("/operator/users/%d/off", id),
		"limits":        "/operator/limits",
		"limit":         "/operator/limits/RUB",
		"banks":         "/operator/banks",
		"new bank":      "/operator/banks/RUB",
	}
}

// Nobody is shut out of the directory.
func TestAccessibleDirectory(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	b := setup(t, options{})
	admin := b.operator(t, caller.Admin)
	pages := b.directoryPages(t, admin)
	tab := admin.tab(t, b.server.URL)
	tab.Examining(rules)
	b.examine(t, tab, pages)
}

// So it is for those who only read.
func TestAccessibleToAuditors(t *testing.T) {
	t.Parallel()
	rules := browsertest.Rules(t)
	b := setup(t, options{})
	tab := b.operator(t, caller.Auditor).tab(t, b.server.URL)
	tab.Examining(rules)
	b.examine(t, tab, map[string]string{
		"requisite": fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0]),
		"cashbox":   fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID),
	})
}

// Pages of the directory are light.
func TestWeightOfDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	for name, path := range b.directoryPages(t, p) {
		bytes := p.weight(t, path)
		page := p.get(t, path).page(t)
		page.Find("link[rel=stylesheet], link[rel=icon], script[src]").Each(func(_ int, s *goquery.Selection) {
			bytes += p.weight(t, s.AttrOr("href", s.AttrOr("src", "")))
		})
		if bytes > heaviest {
			t.Errorf("%s weighs %d bytes", name, bytes)
		}
	}
}
