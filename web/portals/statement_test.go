package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/portaltest"
)

// 1500 RUB are 15 USDT at spot and 14.28571428 for the merchant; the platform gets the whole spread,
// 0.71428572, and 15 are held meanwhile. Of 1000 the trader has 985 left.
func TestStatement(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Clock.Advance(time.Minute)
	b.Confirm(t, b.Create(t, "1500"))
	page := p.Page(t, "/trader/statement")
	var got []string
	for _, row := range rows(page) {
		cells := strings.Split(row, " | ")
		got = append(got, strings.Join([]string{cells[0], cells[2], cells[3], cells[4]}, " | "))
	}
	want(t, "available", strings.Join(got[:2], "\n"), strings.Join([]string{
		"Payment № 1 | Payment completed No longer held +15.00000000 To the merchant −14.28571428 " +
			"To the platform −0.71428572 | 0.00000000 | 985.00000000",
		"Payment № 1 | Held for a payment | −15.00000000 | 985.00000000",
	}, "\n"))
	want(t, "opening and closing", words(page.Find(".figures dd")), "0.00 USDT 985.00 USDT")
	want(t, "leads to", page.Find("tr[data-row] a").First().AttrOr("href", ""), "/trader/payments/1")
	want(t, "a number where there is none", strings.Contains(words(page.Find("main")), "№ 0"), false)
	held := p.Page(t, page.Find(".chips a").Eq(1).AttrOr("href", ""))
	want(t, "held", len(rows(held)), 2)
	want(t, "the tab", words(held.Find(".chips [aria-current]")), "Held")
	want(t, "the account stays", held.Find("input[type=hidden][name=account]").AttrOr("value", ""), "reserved")
	file := p.Get(t, "/trader/statement.csv?account=reserved")
	wantIn(t, "the file", file.Header.Get("Content-Disposition"), "statement-reserved-")
	want(t, "its end", strings.HasSuffix(strings.TrimSpace(file.Body), "\nrows,2"), true)
	want(t, "a day that is none", p.Get(t, "/trader/statement?from=x").Code, 422)
}

// A payout of 1000 RUB costs the merchant 10.2 USDT, of which the trader gets 10 and the platform 0.2. The merchant is
// told what it paid, not how they share it.
func TestStatementOfAPayout(t *testing.T) {
	b, member := portaltest.Member(t, caller.Owner)
	a := b.Trader(t, 0).Fill(t, "/trader/payouts/"+b.TakenPayouts(t, 1)[0]+"/complete", "proofReference", "reference 1")
	want(t, "completed", a.Code, http.StatusSeeOther)
	row := strings.Split(rows(member.Page(t, "/merchant/statement"))[0], " | ")
	want(t, "the payout", row[2:], []string{
		"Payout completed No longer held +10.20000000 For the payout −10.20000000", "0.00000000", "989.80000000",
	})
}

// A statement is read page by page, both ways.
func TestStatementPages(t *testing.T) {
	b, p := portaltest.Trader(t)
	for i := range 15 {
		b.Clock.Advance(time.Second)
		b.Confirm(t, b.Create(t, fmt.Sprint(100+i)))
	}
	first := p.Page(t, "/trader/statement")
	second := p.Page(t, first.Find(".pages a[rel=next]").AttrOr("href", "/none"))
	// A page has 50 movements: 12 payments with one that held and three that settled, and two of the next.
	want(t, "on the first", len(rows(first)), 25)
	want(t, "on the second", len(rows(second)) >= 6, true)
	want(t, "and back", rows(p.Page(t, second.Find(".pages a[rel=prev]").AttrOr("href", "/none"))), rows(first))
}
