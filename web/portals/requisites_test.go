package portals_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// set changes what operators set of the first trader's requisite, or the trader
// does.
func setRequisite(t *testing.T, b *portaltest.Bundle, what string, args ...any) {
	t.Helper()
	b.Exec(t, "update requisite set "+what+" where id = $1", append([]any{b.Traders[0].Requisites[0]}, args...)...)
}

// What traders do at pages of their requisites, as requisites.txt says.
func TestRequisites(t *testing.T) { portaltest.Walks(t, "requisites.txt") }

const requisites = "/trader/requisites"

// Working hours are told in the zone they were set in.
func TestWhyWorkingHours(t *testing.T) {
	b, browser := portaltest.Trader(t)
	begin := b.Clock.Now().In(testenv.Must(time.LoadLocation("Asia/Tokyo"))(t)).Add(2 * time.Hour).Truncate(time.Minute)
	setRequisite(t, b, "own_work_from = $2::text::time, own_work_until = $3::text::time, own_time_zone = 'Asia/Tokyo'",
		begin.Format("15:04"), begin.Add(time.Hour).Format("15:04"))
	says(t, browser.Get(t, requisites), "Working hours begin at "+begin.Format("15:04")+" (Asia/Tokyo).")
}

// That the trader has paused is said first of all, with a button that ends it.
func TestPausedOnRequisites(t *testing.T) {
	_, browser := portaltest.Trader(t)
	browser.Post(t, "/trader/break", "on", "1")
	browser.Get(t, "/trader")
	a := browser.Get(t, requisites)
	says(t, a, "None of your requisites gets payments now", "you have paused", "Receive payments")
	form, _ := a.Page(t).Find(".answer form").Attr("action")
	site := browser.Bundle.Server.URL
	ended := browser.PostForm(t, form, url.Values{"on": {"0"}}, "Origin", site, "Referer", site+requisites)
	want(t, "ended", line(ended.Code, ended.To()), line(http.StatusSeeOther, requisites))
	says(t, browser.Get(t, requisites), "You receive payments again.", "Your requisite gets payments now.")
}

// Many requisites are a table by pages, found by the last digits, the bank or
// the holder. Those that are ticked are switched or limited together; what one
// does not allow is said of it, and it stays ticked.
func TestManyRequisites(t *testing.T) {
	b := portaltest.Parallel(t)
	many := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 120, MaxAmount: "10000"})
	b.User(t, "many", caller.Trader, caller.Owner, many.ID)
	browser := b.SignIn(t, "many")
	ids := many.Requisites
	b.Exec(t, "update requisite set bank = 'Far Bank', daily_sum = 50 where id = any($1)", ids[:2])
	shown := func(query string) int { t.Helper(); return browser.Page(t, requisites+query).Find("tbody tr").Length() }
	var rows []int
	for next, more := requisites, true; more; {
		page := browser.Page(t, next)
		rows = append(rows, page.Find("tbody tr").Length())
		next, more = page.Find(".pages a[rel=next]").Attr("href")
	}
	want(t, "pages", fmt.Sprint(rows), "[50 50 20]")
	last4 := browser.Page(t, requisites).Find("tbody .lead a").First().Text()
	last4 = last4[len(last4)-4:]
	want(t, "found", line(shown("?q="+last4), shown("?q=far+b"), shown("?q=nobody"), shown("?pool=sbp-RUB"), shown("?pool=c2c-RUB")),
		"1 2 0 50 0")

	ticked := func(act string, ids ...int64) url.Values {
		form := url.Values{"act": {act}}
		for _, id := range ids {
			form.Add("id", fmt.Sprint(id))
		}
		return form
	}
	post := func(form url.Values) portaltest.Answer {
		t.Helper()
		site := b.Server.URL
		return browser.PostForm(t, requisites+"?pool=sbp-RUB", form, "Origin", site, "Referer", site+requisites+"?pool=sbp-RUB")
	}
	if a := post(ticked("off", ids[:30]...)); a.Code != http.StatusSeeOther || a.To() != requisites+"?pool=sbp-RUB" {
		t.Errorf("off: %d to %s", a.Code, a.To())
	}
	want(t, "get none", shown("?without=1"), 30)
	want(t, "nothing is ticked", post(ticked("off")).Page(t).Find(".flash").Text(), "Tick the requisites first.")

	limits := ticked("limits", ids[1], ids[2])
	limits.Set("dailySum", "1 000")
	a := post(limits)
	page := a.Page(t)
	want(t, "not all", line(a.Code, page.Find(".flash").Text()), "422 Changed: 1. Not changed: 1, which are still ticked and say why.")
	want(t, "why", page.Find("tr:has(:checked) .wrong").Text(), "Sum a day: must be at most 50.00, which the operator has set")
	kept := "select string_agg(coalesce(own_daily_sum::text, '-'), ' ' order by id) from requisite where id = any($1)"
	want(t, "kept", b.Text(t, kept, ids[1:4]), "- 1000.00 -")
	limits.Set("dailySum", "0")
	want(t, "cleared", line(post(limits).Code, b.Text(t, kept, ids[1:4])), "303 - - -")
	limits.Set("dailySum", "x")
	want(t, "unreadable", post(limits).Page(t).Find("details[open] #dailySum-wrong").Length(), 1)
	want(t, "another's", post(ticked("off", b.Traders[0].Requisites[0])).Code, http.StatusNotFound)
}
