package portals_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// set changes what operators set of the first trader's requisite, or the trader does.
func setRequisite(t *testing.T, b *portaltest.Bundle, what string, args ...any) {
	t.Helper()
	b.Exec(t, "update requisite set "+what+" where id = $1", append([]any{b.Traders[0].Requisites[0]}, args...)...)
}

const requisites = "/trader/requisites"

// requisite is the path of the first trader's.
func requisitePath(b *portaltest.Bundle) string {
	return fmt.Sprintf("%s/%d", requisites, b.Traders[0].Requisites[0])
}

// A requisite without trouble gets payments, and the page says so first.
func TestRequisites(t *testing.T) {
	b, browser := portaltest.Trader(t)
	setRequisite(t, b, "daily_count = 20, daily_sum = 50000, open_payments = 3")
	b.Create(t, "1500")
	a := browser.Get(t, requisites)
	says(t, a, "Your requisite gets payments now.", "Gets payments", "1 of 20", "1,500 ₽ of 50,000 ₽", "1 of 3", "1 to 10,000 ₽", "all day")
	page := a.Page(t)
	for _, meter := range [][2]string{{"20", "1"}, {"50000", "1500"}, {"3", "1"}} {
		want(t, "no meter of", page.Find(fmt.Sprintf(`meter[max="%s"][value="%s"]`, meter[0], meter[1])).Length(), 1)
	}
	want(t, "reasons", page.Find(".why").Length(), 0)
}

// Why no payments come is said with its numbers and with when it ends. The clock of the bundle begins
// on 1 June 2026 at noon UTC, which is 15:00 in Moscow.
func TestWhyNoPayments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set, english, russian string
	}{
		"off by the trader": {"own_enabled = false", "You have switched the requisite off.", "Вы выключили реквизит."},
		"off by an operator": {
			"enabled = false", "An operator has switched the requisite off; only they can switch it on.",
			"Реквизит выключил оператор; включить может только он.",
		},
		"the day's payments": {
			"daily_count = 1", "The day’s limit of payments is reached: 1 of 1. A new day begins at 00:00 (Europe/Moscow).",
			"Дневной лимит платежей исчерпан: 1 из 1. Новый день начнётся в 00:00 (Europe/Moscow).",
		},
		"the day's sum": {
			"daily_sum = 1500", "The day’s limit is 1,500 ₽, of which 1,500 ₽ are used: a payment of 1 ₽ does not fit.",
			"Дневной лимит 1 500 ₽, из него использовано 1 500 ₽: платёж на 1 ₽ не поместится.",
		},
		"open payments": {
			"open_payments = 1", "1 of 1 payments are open. The next comes when one of them ends.",
			"Открыто платежей: 1 из 1. Следующий придёт, когда один завершится.",
		},
		"hours that never meet": {
			"work_from = '08:00', work_until = '09:00', own_work_from = '10:00', own_work_until = '11:00'",
			"The operator’s hours and your own have no time in common.", "Часы оператора и ваши часы не пересекаются.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, browser := portaltest.Trader(t)
			b.Create(t, "1500")
			setRequisite(t, b, test.set)
			says(t, browser.Get(t, requisites), "None of your requisites gets payments now", test.english)
			browser.Cookies["lang"] = "ru"
			says(t, browser.Get(t, requisites), "Сейчас ни один реквизит не получает платежей")
			wantIn(t, "the page", strings.ReplaceAll(browser.Get(t, requisitePath(b)).Text(), "\u00a0", " "), test.russian)
		})
	}
}

// Working hours are told in the zone they were set in.
func TestWhyWorkingHours(t *testing.T) {
	b, browser := portaltest.Trader(t)
	begin := b.Clock.Now().In(testenv.Must(time.LoadLocation("Asia/Tokyo"))(t)).Add(2 * time.Hour).Truncate(time.Minute)
	setRequisite(t, b, "own_work_from = $2::text::time, own_work_until = $3::text::time, own_time_zone = 'Asia/Tokyo'",
		begin.Format("15:04"), begin.Add(time.Hour).Format("15:04"))
	says(t, browser.Get(t, requisites), "Working hours begin at "+begin.Format("15:04")+" (Asia/Tokyo).")
}

// The money that is missing is told to those who may see it, and no number of it to others.
func TestWhyShort(t *testing.T) {
	b, browser := portaltest.Trader(t)
	setRequisite(t, b, "min_amount = 200000, max_amount = 300000")
	// The trader has 1,000 USDT. 200,000 at a rate of 100 are 2,000 USDT.
	says(t, browser.Get(t, requisites), "You have 1,000.00 USDT available; a payment of the minimum, 200,000 ₽, holds 2,000.00 USDT.")
	desk := b.Clerk(t).Get(t, requisites)
	says(t, desk, "The trader’s balance does not cover a payment of the minimum, 200,000 ₽.")
	wantNot(t, "the desk sees the trader's money", desk.Text(), "000.00")
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

// A switch is switched, and says what became of it. An operator's cannot be.
func TestSwitchRequisite(t *testing.T) {
	b, browser := portaltest.Trader(t)
	a := browser.Post(t, requisitePath(b)+"/switch", "on", "0")
	want(t, "off", line(a.Code, a.To()), line(http.StatusSeeOther, requisites))
	says(t, browser.Get(t, requisites), "The requisite is off: it gets no new payments.", "Switch on")
	browser.Post(t, requisitePath(b)+"/switch", "on", "1")
	says(t, browser.Get(t, requisites), "The requisite is on.", "Your requisite gets payments now.")
	setRequisite(t, b, "enabled = false, own_enabled = false")
	browser.Post(t, requisitePath(b)+"/switch", "on", "1")
	says(t, browser.Get(t, requisites), "An operator has switched the requisite off")
}

// Limits are typed as people do, kept, and shown again.
func TestChangeLimits(t *testing.T) {
	b, browser := portaltest.Trader(t)
	setRequisite(t, b, "daily_count = 20, daily_sum = 50000, open_payments = 3")
	says(t, browser.Get(t, requisitePath(b)), "Operator: 1 to 10,000 ₽", "Operator: at most 20",
		"Operator: at most 50,000 ₽", "Operator: at most 3", "Operator: all day", "Operator: Europe/Moscow")
	a := browser.Post(t, requisitePath(b), "minAmount", "1 000,50", "maxAmount", "9000", "dailyCount", "10", "dailySum",
		"", "openPayments", "2", "workFrom", "22:00", "workUntil", "06:00", "timeZone", "Asia/Tokyo")
	want(t, "saved", line(a.Code, a.To()), line(http.StatusSeeOther, requisites))
	says(t, browser.Get(t, requisites), "The limits are saved.", "1,000.50 to 9,000 ₽", "22:00–06:00 (Asia/Tokyo)")
	page := browser.Page(t, requisitePath(b))
	for name, wanted := range map[string]string{
		"minAmount": "1000.50", "maxAmount": "9000.00", "dailyCount": "10", "dailySum": "", "openPayments": "2",
		"workFrom": "22:00", "workUntil": "06:00", "timeZone": "Asia/Tokyo",
	} {
		want(t, name+" is", page.Find("#"+name).AttrOr("value", "(none)"), wanted)
	}
	browser.Post(t, requisitePath(b))
	want(t, "an empty field leaves", browser.Page(t, requisitePath(b)).Find("#minAmount").AttrOr("value", "(none)"), "")
}

// What goes beyond the operators' limits, and what cannot be read, is said beside its field, and what was typed is kept.
func TestChangeLimitsRefused(t *testing.T) {
	b, browser := portaltest.Trader(t)
	setRequisite(t, b, "daily_count = 20")
	for _, test := range []struct{ field, typed, english, russian string }{
		{"minAmount", "0.5", "must be between 1.00 and 10000.00, which the operator has set", "от 1.00 до 10000.00: так решил оператор"},
		{"maxAmount", "x", "must be a plain decimal number, without sign or exponent", "число, например 1500 или 1500.50"},
		{"dailyCount", "21", "must be at most 20, which the operator has set", "не больше 20: так решил оператор"},
		{"dailyCount", "x", "must be a whole number, at least 1", "целое число, не меньше 1"},
		{"dailySum", "1.234", "has too many decimals: at most 2", "знаков после запятой — не больше 2"},
		{"openPayments", "-1", "must be a whole number, at least 1", "целое число, не меньше 1"},
		{"workFrom", "25:00", "must be a time of day, HH:MM", "время в виде ЧЧ:ММ"},
		{"timeZone", "Mars", "is not a known time zone", "неизвестный часовой пояс"},
	} {
		for language, want := range map[string]string{"en": test.english, "ru": test.russian} {
			browser.Cookies["lang"] = language
			a := browser.Post(t, requisitePath(b), test.field, test.typed)
			page := a.Page(t)
			input := page.Find("#" + test.field)
			if a.Code != http.StatusUnprocessableEntity || page.Find("#"+test.field+"-wrong").Text() != want ||
				input.AttrOr("aria-invalid", "") != "true" || input.AttrOr("value", "") != test.typed {
				t.Errorf("%s %q: %d %s", test.field, test.typed, a.Code, a.Text())
			}
		}
	}
	want(t, "a refused form changed something", b.Count(t, "select count(*) from requisite where own_min_amount is not null"), 0)
}

// Many requisites are a table by pages, found by the last digits, the bank or the holder. Those that are ticked are switched or
// limited together; what one does not allow is said of it, and it stays ticked.
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

// A trader's owner proposes a requisite, and an operator makes it or says why not: the trader sees what became of it, and not who
// decided. The same sent twice is one proposal, and its value is kept masked.
func TestProposeRequisite(t *testing.T) {
	b, browser := portaltest.Trader(t)
	operator := b.Operator(t, caller.Admin)
	propose := func(value string) portaltest.Answer {
		t.Helper()
		return browser.Post(t, requisites+"/new", "method", "RUB/sbp", "value", value, "holder", "Ivan P.", "bank", "Far Bank")
	}
	a := propose("12")
	want(t, "a wrong value", line(a.Code, a.Page(t).Find("#value").AttrOr("value", ""), a.Page(t).Find("#value-wrong").Length()), "422 12 1")
	want(t, "one of the desk", b.Clerk(t).Get(t, requisites+"/new").Code, http.StatusForbidden)
	for range 2 {
		want(t, "proposed", propose("+7 900 777-00-11").To(), requisites)
	}
	propose("+79007770022")
	want(t, "proposals", b.Text(t, "select string_agg(payload->>'Value', ' ' order by id) from proposal"), "•••• 0011 •••• 0022")
	list := func() string {
		return portaltest.Words(browser.Page(t, requisites).Find(".proposed li > div:first-child, .proposed .badge"))
	}
	wantIn(t, "waits", list(), "•••• 0022 SBP transfer, RUB", "An operator decides")

	approvals := operator.Page(t, "/operator/approvals").Find("tbody .lead a")
	refused, approved := approvals.Eq(1).AttrOr("href", ""), approvals.Eq(0).AttrOr("href", "")
	want(t, "without a reason", operator.Post(t, refused+"/refuse", hidden(operator.Page(t, refused))...).Code, http.StatusUnprocessableEntity)
	treasurer := b.Operator(t, caller.Treasury).Page(t, approved)
	want(t, "who makes no requisites is offered to approve, to refuse",
		line(treasurer.Find("form[action$='/approve']").Length(), treasurer.Find("form[action$='/refuse']").Length()), "0 1")
	wantIn(t, "why", words(treasurer.Find("main")), "an operator who makes requisites approves it")
	operator.Post(t, refused+"/refuse", hidden(operator.Page(t, refused), "reason", "another name")...)
	operator.Post(t, approved+"/approve", hidden(operator.Page(t, approved))...)
	wantIn(t, "decided", list(), "Added", "Refused", "Reason: another name")
	wantNot(t, "who decided", list(), "admin")
	want(t, "made", b.Text(t, `select string_agg(last4 || ' ' || holder || ' ' || bank, ',') from requisite
		where trader_id = $1 and id <> $2`, b.Traders[0].ID, b.Traders[0].Requisites[0]), "0022 Ivan P. Far Bank")
	wantNot(t, "another trader sees it", b.Trader(t, 1).Get(t, requisites).Text(), "0011")
}

// Those of a desk see limits and change none; another trader finds nothing there.
func TestRequisiteOfOthers(t *testing.T) {
	b := portaltest.Parallel(t)
	desk := b.Clerk(t)
	page := desk.Page(t, requisitePath(b))
	want(t, "a desk can change limits",
		line(page.Find("main button").Length(), page.Find("main input:not([disabled]):not([type=hidden])").Length()), "0 0")
	want(t, "a desk has", desk.Page(t, requisites).Find("main form[method=post]").Length(), 0)
	want(t, "a desk changes limits", desk.Post(t, requisitePath(b), "minAmount", "5").Code, http.StatusForbidden)
	want(t, "no number", desk.Get(t, requisites+"/x").Code, http.StatusNotFound)
	wantNot(t, "a trader sees another's requisite", b.Trader(t, 1).Get(t, requisites).Text(), "1 to 10,000 ₽")
}
