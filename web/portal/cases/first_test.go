package cases_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// steps are those of the list that an operator begins with: where they lead, and "done" for what is.
func steps(page *goquery.Document) string {
	var all []string
	page.Find("#first-steps li").Each(func(_ int, li *goquery.Selection) {
		state := "done"
		if li.Find(".badge.good").Length() == 0 {
			state = li.Find("a").AttrOr("href", "nowhere")
		}
		all = append(all, state)
	})
	return strings.Join(all, " ")
}

// The list of steps tells what is there and leads to what is not, only those who may do it, until there is
// a payment.
func TestFirstSteps(t *testing.T) {
	b, admin := portaltest.Operator(t, caller.Admin)
	want(t, "with a sandbox's", steps(admin.Page(t, "/operator")),
		"done done done done /operator/users/new?merchant=1 done done /operator/users/new?trader=2 done")
	merchant := admin.Made(t, "/operator/merchants/new", "name", "Acme")
	admin.Fill(t, "/operator/cashboxes/new?merchant="+portaltest.Last(merchant), "name", "Shop", "currency", "KZT")
	trader := admin.Made(t, "/operator/traders/new", "name", "Desk", "sharePercent", "1.5")
	want(t, "of the newest", steps(admin.Page(t, "/operator")),
		"/operator/rates/set?currency=KZT done done /operator/cashboxes/2 /operator/users/new?merchant="+portaltest.Last(merchant)+
			" done done /operator/users/new?trader="+portaltest.Last(trader)+" /operator/money/fund?traderId="+portaltest.Last(trader))
	auditor := b.Operator(t, caller.Auditor)
	want(t, "for an auditor", steps(auditor.Page(t, "/operator")),
		"nowhere done done nowhere nowhere done done nowhere nowhere")
	b.Create(t, "1500")
	want(t, "with a payment", steps(admin.Page(t, "/operator")), "")
}
