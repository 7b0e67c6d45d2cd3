package portals_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

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
