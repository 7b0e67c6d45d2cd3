package arrivals_test

import (
	"fmt"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// Money without a payment is kept once for each form, found by amount and by words, and by its trader alone.
func TestArrivals(t *testing.T) {
	b, p := portaltest.Trader(t)
	form := p.Page(t, "/trader/arrivals/new")
	fields := portaltest.Hidden(form, "requisite", form.Find("[name=requisite] option").AttrOr("value", ""), "amount", "1 250,50",
		"payer", "Ivan <b>", "note", "twice?")
	for range 2 {
		portaltest.Want(t, "the form leads to", p.Post(t, "/trader/arrivals/new", fields...).To(), "/trader/arrivals")
	}
	for path, rows := range map[string]int{
		"/trader/arrivals": 1, "/trader/arrivals?q=1250.5": 1, "/trader/arrivals?q=twice": 1, "/trader/arrivals?q=ivan+%3Cb": 1,
		"/trader/arrivals?q=1250": 0, "/trader/arrivals?q=%25": 0,
	} {
		portaltest.Want(t, path, p.Page(t, path).Find("tbody tr").Length(), rows)
	}
	// An open payment of that amount has a link on the desk to where it is attached.
	open := b.Create(t, "1250.5")
	link := p.Page(t, "/trader").Find(".job").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.Find("a[href$='#fitting']").Length() == 1 })
	portaltest.Want(t, "on the desk", link.AttrOr("data-job", ""), fmt.Sprint(open.ID))
	portaltest.Want(t, "where it leads", p.Page(t, fmt.Sprintf("/trader/payments/%d", open.ID)).Find("#fitting button").Length(), 1)
	portaltest.Want(t, "another trader's", b.Trader(t, 1).Page(t, "/trader/arrivals").Find("tbody tr").Length(), 0)
	wrong := p.Post(t, "/trader/arrivals/new", portaltest.Hidden(p.Page(t, "/trader/arrivals/new"), "requisite", "1", "amount", "no")...)
	portaltest.Want(t, "without an amount", wrong.Code, 422)
}
