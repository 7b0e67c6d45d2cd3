package portal_test

import (
	"net/http"
	"testing"
)

// A user keeps the filters of a list under a name, finds them above the list, and removes them.
// Others neither see nor remove them.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, other := b.trader(t, 0), b.trader(t, 1)
	save := func(name, path, query string) answer {
		return p.post(t, "/views", "name", name, "path", path, "query", query)
	}
	a := save("Big <b>", "/trader/payments", "status=completed&min=5000&after=7&lang=ru")
	want(t, "saved", line(a.code, a.to(), p.cookies["flash"]),
		"303 /trader/payments?min=5000&status=completed view-saved")
	view := p.page(t, a.to()).Find(".views li")
	want(t, "its name", words(view.Find("a")), "Big <b>")
	want(t, "current", view.Find("a").AttrOr("aria-current", ""), "page")
	want(t, "on another list", p.page(t, "/trader/payouts").Find(".views li").Length(), 0)
	want(t, "for another user", other.page(t, "/trader/payments").Find(".views li").Length(), 0)
	a = save(" ", "/trader/payments", "q=1")
	want(t, "without a name", line(a.code, words(a.page(t).Find(".wrong"))), "422 is required")
	want(t, "a list that is none", save("x", "https://elsewhere.example/", "").code, http.StatusNotFound)
	remove := view.Find("form").AttrOr("action", "")
	want(t, "by another", other.post(t, remove).code, http.StatusNotFound)
	a = p.post(t, remove)
	want(t, "removed", line(a.to(), p.cookies["flash"]), "/trader/payments view-removed")
	want(t, "left", p.page(t, "/trader/payments").Find(".views li").Length(), 0)
}
