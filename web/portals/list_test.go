package portals_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// Lists are read page by page, both ways, and keep to their filters.
func TestListsTurn(t *testing.T) {
	b, p := portaltest.Member(t, caller.Owner)
	for i := range 112 {
		b.Create(t, fmt.Sprint(100+i))
	}
	b.Exec(t,
		`insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, status, created_at,
			status_at)
		select merchant_id, cashbox_id, 5, 'TRC20', 'T', gen_random_uuid(),
			case when n = 7 then 'confirmed' else 'pending' end, created_at, created_at
		from (select *, row_number() over (order by id) n from payment) p order by id`, // ids have gaps: connections take some ahead
	)
	b.Exec(t,
		`insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor,
			created_at)
		select merchant_id, id, 'why', 'a.pdf', 'application/pdf', 1,
			case when n % 4 = 0 then 'open' when n % 4 = 1 then 'in_review' else 'closed' end, created_at, 'key:1', created_at
		from (select *, row_number() over (order by id) n from payment) p order by id`,
	)
	for path, expected := range map[string]string{
		"/merchant/deposits":                              "112-63 62-13 12-1",
		"/merchant/deposits?status=pending":               "112-63 62-13 12-1",
		"/merchant/deposits?status=confirmed":             "7-7",
		"/merchant/appeals":                               "112-63 62-13 12-1",
		"/merchant/appeals?status=open&status=in_review":  "112-13 12-1",
		"/merchant/appeals?status=closed&cashbox=9999999": "",
	} {
		forth, back := turn(t, p, path)
		want(t, path, strings.Join(forth, " "), expected)
		slices.Reverse(back)
		want(t, path+", back", back, forth)
	}
	forth, back := turn(t, p, "/merchant/payments?min=101&max=210")
	slices.Reverse(back)
	want(t, "payments", line(len(forth), back), line(3, forth))
	want(t, "the last payments", len(rows(p.Page(t, "/merchant/payments?min=101&max=110"))), 10)
	want(t, "a place that is none", p.Get(t, "/merchant/deposits?before=x").Code, http.StatusNotFound)
	want(t, "nothing newer", words(p.Page(t, "/merchant/appeals?before=112").Find(".pages a")), "To the newest")
}

// turn reads a list to its end and back, each page by its first and last number.
func turn(t *testing.T, p *portaltest.Person, path string) (forth, back []string) {
	t.Helper()
	for _, turn := range []struct {
		rel  string
		list *[]string
	}{{"next", &forth}, {"prev", &back}} {
		for {
			page := p.Page(t, path)
			if found := rows(page); len(found) > 0 {
				first, _, _ := strings.Cut(found[0], " ")
				last, _, _ := strings.Cut(found[len(found)-1], " ")
				*turn.list = append(*turn.list, first+"-"+last)
			}
			next, there := page.Find(".pages a[rel=" + turn.rel + "]").Attr("href")
			if !there {
				break
			}
			path = next
		}
	}
	return forth, back
}

// What is asked for stands in the address. A chip removes one filter and keeps the others, and an
// address that says something in vain is made short.
func TestFilters(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Create(t, "1500")
	want(t, "the time", strings.HasPrefix(words(p.Page(t, "/trader/payments").Find(".window")), "The last 30 days, since "), true)
	page := p.Page(t, "/trader/payments?status=pending&status=failed&min=1000&q=1234")
	var chips []string
	page.Find(".chips a").Each(func(_ int, chip *goquery.Selection) {
		chips = append(chips, words(chip)+" "+chip.AttrOr("href", ""))
	})
	want(t, "chips", strings.Join(chips, "\n"), strings.Join([]string{
		"Remove the filter: “1234” /trader/payments?min=1000&status=pending&status=failed",
		"Remove the filter: Pending /trader/payments?min=1000&q=1234&status=failed",
		"Remove the filter: Failed /trader/payments?min=1000&q=1234&status=pending",
		"Remove the filter: Amount from 1,000 /trader/payments?q=1234&status=pending&status=failed",
		"Clear all /trader/payments",
	}, "\n"))
	want(t, "ticked", page.Find("input[name=status][checked]").Length(), 2)
	a := p.Get(t, "/trader/payments?q=&status=failed&method=&from=&to=&min=&max=")
	want(t, "an address in vain", line(a.Code, a.To()), "303 /trader/payments?status=failed")
}

// What is wrong with a filter is said at its field, and what was typed stays there.
func TestWrongFilters(t *testing.T) {
	_, p := portaltest.Trader(t)
	for query, expected := range map[string]string{
		"from=soon":                     "from soon Write the date as in 2026-11-03.",
		"from=2026-02-30":               "from 2026-02-30 Write the date as in 2026-11-03.",
		"from=2026-11-03&to=2026-11-02": "to 2026-11-02 Must not be before “From”.",
		"min=abc":                       "min abc Write an amount as in 1000 or 1000.50.",
		"min=-5":                        "min -5 Write an amount as in 1000 or 1000.50.",
		"max=1.005":                     "max 1.005 Write an amount as in 1000 or 1000.50.",
		"min=1e3":                       "min 1e3 Write an amount as in 1000 or 1000.50.",
		"min=10&max=5":                  "max 5 Must not be less than “Amount from”.",
		"q=" + strings.Repeat("x", 201): "q " + strings.Repeat("x", 201) + " At most 200 characters.",
	} {
		a := p.Get(t, "/trader/payments?"+query)
		page := a.Page(t)
		wrong := page.Find("[aria-invalid]")
		said := page.Find("#" + strings.TrimSpace(wrong.AttrOr("aria-describedby", "none"))).Text()
		got := fmt.Sprint(wrong.AttrOr("name", ""), " ", wrong.AttrOr("value", ""), " ", said)
		want(t, query, line(a.Code, got, page.Find("table").Length()), line(http.StatusUnprocessableEntity, expected, 0))
		want(t, query+" as a file", p.Get(t, "/trader/payments.csv?"+query).Code, http.StatusUnprocessableEntity)
	}
	for query, expected := range map[string]int{"status=odd": 422, "method=odd": 422, "after=odd": 404, "before=1e": 404} {
		want(t, query, p.Get(t, "/trader/payments?"+query).Code, expected)
	}
}

// A list that shows nothing says whether there is nothing, nothing lately, or nothing that matches.
func TestEmptyList(t *testing.T) {
	b, p := portaltest.Trader(t)
	said := func(query string) string { return words(p.Page(t, "/trader/payments"+query).Find(".empty strong")) }
	want(t, "nothing", said(""), "No payments yet.")
	b.Create(t, "1500")
	want(t, "none match", said("?min=5000"), "Nothing matches.")
	b.Exec(t, "update payment set created_at = created_at - interval '60 days'")
	want(t, "nothing lately", said(""), "No payments in these 30 days.")
}

// A user keeps the filters of a list under a name, finds them above the list, and removes them.
func TestSavedViews(t *testing.T) {
	_, p := portaltest.Trader(t)
	save := func(name, path, query string) portaltest.Answer {
		return p.Post(t, "/views", "name", name, "path", path, "query", query)
	}
	a := save("Big <b>", "/trader/payments", "status=completed&min=5000&after=7&lang=ru")
	want(t, "saved", a.Led(), "303 /trader/payments?min=5000&status=completed view-saved")
	view := p.Page(t, a.To()).Find(".views li")
	want(t, "its name", words(view.Find("a")), "Big <b>")
	want(t, "current", view.Find("a").AttrOr("aria-current", ""), "page")
	want(t, "on another list", p.Page(t, "/trader/payouts").Find(".views li").Length(), 0)
	want(t, "without a name", save(" ", "/trader/payments", "q=1").At(t, ".wrong"), "422 is required")
	want(t, "a list that is none", save("x", "https://elsewhere.example/", "").Code, http.StatusNotFound)
	want(t, "removed", p.Post(t, view.Find("form").AttrOr("action", "")).Led(), "303 /trader/payments view-removed")
	want(t, "left", p.Page(t, "/trader/payments").Find(".views li").Length(), 0)
}

// A user chooses what rows show, which stays so on that list, and is asked with the list's filters kept.
func TestColumns(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Auditor)
	made := b.Create(t, "1500")
	const list = "/operator/payments"
	heads := func(path string) string { return words(p.Page(t, path).Find("thead th")) }
	want(t, "as it is at first", heads(list), "№ Created Amount Method Order Status Merchant, USDT")
	a := p.Post(t, "/columns", "path", list, "query", "min=1&lang=ru", "column", "uuid", "column", "status", "column", "odd")
	want(t, "chosen", a.Led(), "303 /operator/payments?min=1 columns-saved")
	page := p.Page(t, list)
	want(t, "what rows show", heads(list), "№ Amount Status UUID")
	wantIn(t, "a row", words(page.Find("tbody tr")), made.UUID.String())
	want(t, "the choice", page.Find(".columns input:checked").Length(), 2)
	want(t, "no view beside the user's", page.Find(".views li").Length(), 0)
	want(t, "on another list", heads("/operator/payouts"), "")
	want(t, "a list that is none", p.Post(t, "/columns", "path", "/operator/x").Code, http.StatusNotFound)
}

// The heads of columns sort a list, and say how it is sorted; what the list is kept to stays.
func TestSortedLists(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Admin)
	first, second := b.Create(t, "1500"), b.Create(t, "1600")
	firsts := func(page *goquery.Document) string { return words(page.Find("td.lead a")) }
	head := func(page *goquery.Document, sorted string) *goquery.Selection {
		return page.Find("th[aria-sort=" + sorted + "] a")
	}
	page := operator.Page(t, "/operator/payments?min=1")
	up, down := fmt.Sprint(first.ID, " ", second.ID), fmt.Sprint(second.ID, " ", first.ID)
	want(t, "the newest first", line(firsts(page), words(head(page, "descending"))), down+" Created")
	page = operator.Page(t, head(page, "descending").AttrOr("href", ""))
	want(t, "the oldest first", line(firsts(page), words(head(page, "ascending")), page.Find(".chips li").Length()), up+" Created 1")
	page = operator.Page(t, page.Find("th.right.sorts a").First().AttrOr("href", ""))
	want(t, "the greatest first", line(firsts(page), words(head(page, "descending"))), down+" Amount")
	page = operator.Page(t, head(page, "descending").AttrOr("href", ""))
	want(t, "the least first", line(firsts(page), words(head(page, "ascending"))), up+" Amount")
	want(t, "no order", operator.Get(t, "/operator/payments?sort=name").Code, http.StatusUnprocessableEntity)

	b.Exec(t, "update trader set name = case id when $1 then 'anna' else 'Berg' end", b.Traders[0].ID)
	page = operator.Page(t, "/operator/traders")
	want(t, "traders, the newest first", firsts(page), "Berg anna")
	page = operator.Page(t, page.Find("th.sorts a").First().AttrOr("href", ""))
	want(t, "traders by name", line(firsts(page), words(head(page, "ascending"))), "anna Berg Name")
	page = operator.Page(t, head(page, "ascending").AttrOr("href", ""))
	want(t, "traders by name, the other way", line(firsts(page), words(head(page, "descending"))), "Berg anna Name")
}

// Lists offer the days that are asked for most, each beside what is asked for already, and say which of them is shown.
func TestPresets(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.As(t, caller.Owner)
	today := b.Clock.Now().UTC()
	page := p.Page(t, "/merchant/payments?status=completed")
	links := page.Find(".presets a")
	want(t, "presets", words(page.Find(".presets")), "Today Yesterday 7 days This month")
	day := today.AddDate(0, 0, -1).Format("2006-01-02")
	to := links.Eq(1).AttrOr("href", "")
	want(t, "yesterday", to, "/merchant/payments?from="+day+"&status=completed&to="+day)
	shown := p.Page(t, to)
	want(t, "yesterday is shown", words(shown.Find(".presets [aria-current]")), "Yesterday")
	want(t, "beside the status", strings.Contains(words(shown.Find(".chips")), "Completed"), true)
	want(t, "of deposits, which are of all time", p.Page(t, "/merchant/deposits").Find(".presets").Length(), 0)
}

// A click anywhere in a row leads where its first link does, but for what else in it can be clicked.
func TestRowsAreLinks(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.As(t, caller.Owner)
	made := b.Create(t, "1500")
	b.Exec(t, "update payment set payer_user_id = 'payer-1'")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/merchant/payments")
	for part, to := range map[string]string{
		"tbody tr .method": fmt.Sprintf("/merchant/payments/%d", made.ID), "tbody tr td:not(.lead) a": "/merchant/payer",
	} {
		leads := browsertest.Eval[string](tab, fmt.Sprintf(`(() => {
			const at = document.querySelector(%q).getBoundingClientRect();
			return document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2).closest("a")?.pathname || "";
		})()`, part))
		want(t, part+" leads", leads, to)
	}
}
