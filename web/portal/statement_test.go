package portal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// 1500 RUB are 15 USDT at spot and 14.28571428 for the merchant; the platform gets the whole spread,
// 0.71428572, and 15 are held meanwhile. Of 1000 the trader has 985 left.
func TestStatement(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	b.clock.Advance(time.Minute)
	b.confirm(t, b.create(t, "1500"))
	page := p.page(t, "/trader/statement")
	var got []string
	for _, row := range rows(page) {
		cells := strings.Split(row, " | ")
		got = append(got, strings.Join([]string{cells[0], cells[2], cells[3], cells[4]}, " | "))
	}
	want(t, "available", strings.Join(got[:4], "\n"), strings.Join([]string{
		"Payment № 1 | Payment completed: no longer held | +15.00000000 | 985.00000000",
		"Payment № 1 | Payment completed | −0.71428572 | 970.00000000",
		"Payment № 1 | Payment completed | −14.28571428 | 970.71428572",
		"Payment № 1 | Held for a payment | −15.00000000 | 985.00000000",
	}, "\n"))
	want(t, "opening and closing", words(page.Find(".figures dd")), "0.00 USDT 985.00 USDT")
	want(t, "leads to", page.Find("tr[data-row] a").First().AttrOr("href", ""), "/trader/payments/1")
	held := p.page(t, page.Find(".chips a").Eq(1).AttrOr("href", ""))
	want(t, "held", len(rows(held)), 2)
	want(t, "the tab", words(held.Find(".chips [aria-current]")), "Held")
	want(t, "the account stays", held.Find("input[type=hidden][name=account]").AttrOr("value", ""), "reserved")
	file := p.get(t, "/trader/statement.csv?account=reserved")
	if !strings.Contains(file.header.Get("Content-Disposition"), "statement-reserved-") ||
		!strings.HasSuffix(strings.TrimSpace(file.body), "\nrows,2") {
		t.Errorf("the file: %s\n%s", file.header, file.body)
	}
	want(t, "a day that is none", p.get(t, "/trader/statement?from=x").code, 422)
}

// A statement is read page by page, both ways.
func TestStatementPages(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.trader(t, 0)
	for i := range 15 {
		b.clock.Advance(time.Second)
		b.confirm(t, b.create(t, fmt.Sprint(100+i)))
	}
	first := p.page(t, "/trader/statement")
	second := p.page(t, first.Find(".pages a[rel=next]").AttrOr("href", "/none"))
	want(t, "on the first", len(rows(first)), 50)
	want(t, "on the second", len(rows(second)) >= 10, true)
	back := p.page(t, second.Find(".pages a[rel=prev]").AttrOr("href", "/none"))
	want(t, "and back", rows(back), rows(first))
}
