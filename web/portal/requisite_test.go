package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
)

// set changes what operators set of the first trader's requisite, or the trader does.
func (b *bundle) set(t *testing.T, what string, args ...any) {
	t.Helper()
	args = append([]any{b.traders[0].Requisites[0]}, args...)
	b.Exec(t, "update requisite set "+what+" where id = $1", args...)
}

const requisites = "/trader/requisites"

// requisite is the path of the first trader's.
func (b *bundle) requisite() string {
	return fmt.Sprintf("%s/%d", requisites, b.traders[0].Requisites[0])
}

// says wants a page to say things.
func says(t *testing.T, a answer, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		wantIn(t, "the page", strings.ReplaceAll(a.text(), "\u00a0", " "), want)
	}
}

// A requisite without trouble gets payments, and the page says so first.
func TestRequisites(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	b.set(t, "daily_count = 20, daily_sum = 50000, open_payments = 3")
	b.create(t, "1500")
	a := browser.get(t, requisites)
	says(t, a, "Your requisite gets payments now.", "Gets payments", "1 of 20", "1,500 ₽ of 50,000 ₽", "1 of 3",
		"1 to 10,000 ₽", "all day")
	page := a.page(t)
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
			t.Parallel()
			b := setup(t, options{})
			browser := b.trader(t, 0)
			b.create(t, "1500")
			b.set(t, test.set)
			says(t, browser.get(t, requisites), "None of your requisites gets payments now", test.english)
			browser.cookies["lang"] = "ru"
			says(t, browser.get(t, requisites), "Сейчас ни один реквизит не получает платежей")
			text := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(browser.get(t, b.requisite()).text())
			wantIn(t, "the page", text, test.russian)
		})
	}
}

// Working hours are told in the zone they were set in.
func TestWhyWorkingHours(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	noError(t, err)
	begin := b.clock.Now().In(tokyo).Add(2 * time.Hour).Truncate(time.Minute)
	b.set(t, "own_work_from = $2::text::time, own_work_until = $3::text::time, own_time_zone = 'Asia/Tokyo'",
		begin.Format("15:04"), begin.Add(time.Hour).Format("15:04"))
	says(t, browser.get(t, requisites), "Working hours begin at "+begin.Format("15:04")+" (Asia/Tokyo).")
}

// The money that is missing is told to those who may see it, and no number of it to others.
func TestWhyShort(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	b.set(t, "min_amount = 200000, max_amount = 300000")
	// The trader has 1,000 USDT. 200,000 at a rate of 100 are 2,000 USDT.
	says(t, browser.get(t, requisites),
		"You have 1 000.00 USDT available; a payment of the minimum, 200,000 ₽, holds 2 000.00 USDT.")
	b.user(t, "desk", caller.Trader, caller.Desk, b.traders[0].ID)
	desk := b.signIn(t, "desk").get(t, requisites)
	says(t, desk, "The trader’s balance does not cover a payment of the minimum, 200,000 ₽.")
	wantNot(t, "the desk sees the trader's money", desk.text(), "000.00")
}

// A break is said first of all, with a button that ends it.
func TestBreakOnRequisites(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	browser.post(t, "/trader/break", "on", "1")
	browser.get(t, "/trader")
	a := browser.get(t, requisites)
	says(t, a, "None of your requisites gets payments now", "you are on a break", "End the break")
	form, _ := a.page(t).Find(".answer form").Attr("action")
	if ended := browser.post(t, form); ended.code != http.StatusSeeOther || ended.to() != requisites {
		t.Fatalf("%d, to %s", ended.code, ended.to())
	}
	says(t, browser.get(t, requisites), "The break is over", "Your requisite gets payments now.")
}

// A switch is switched, and says what became of it. An operator's cannot be.
func TestSwitchRequisite(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	if a := browser.post(t, b.requisite()+"/switch", "on", "0"); a.code != http.StatusSeeOther || a.to() != requisites {
		t.Fatalf("%d, to %s", a.code, a.to())
	}
	says(t, browser.get(t, requisites), "The requisite is off: it gets no new payments.", "Switch on")
	browser.post(t, b.requisite()+"/switch", "on", "1")
	says(t, browser.get(t, requisites), "The requisite is on.", "Your requisite gets payments now.")
	b.set(t, "enabled = false, own_enabled = false")
	browser.post(t, b.requisite()+"/switch", "on", "1")
	says(t, browser.get(t, requisites), "An operator has switched the requisite off")
}

// Limits are typed as people do, kept, and shown again.
func TestChangeLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	b.set(t, "daily_count = 20, daily_sum = 50000, open_payments = 3")
	says(t, browser.get(t, b.requisite()), "Operator: 1 to 10,000 ₽", "Operator: at most 20",
		"Operator: at most 50,000 ₽", "Operator: at most 3", "Operator: all day", "Operator: Europe/Moscow")
	a := browser.post(t, b.requisite(), "minAmount", "1 000,50", "maxAmount", "9000", "dailyCount", "10", "dailySum",
		"", "openPayments", "2", "workFrom", "22:00", "workUntil", "06:00", "timeZone", "Asia/Tokyo")
	if a.code != http.StatusSeeOther || a.to() != requisites {
		t.Fatalf("%d, to %s: %s", a.code, a.to(), a.text())
	}
	says(t, browser.get(t, requisites), "The limits are saved.", "1,000.50 to 9,000 ₽", "22:00–06:00 (Asia/Tokyo)")
	page := browser.page(t, b.requisite())
	for name, wanted := range map[string]string{
		"minAmount": "1000.50", "maxAmount": "9000.00", "dailyCount": "10", "dailySum": "", "openPayments": "2",
		"workFrom": "22:00", "workUntil": "06:00", "timeZone": "Asia/Tokyo",
	} {
		want(t, name+" is", page.Find("#"+name).AttrOr("value", "(none)"), wanted)
	}
	browser.post(t, b.requisite())
	want(t, "an empty field leaves", browser.page(t, b.requisite()).Find("#minAmount").AttrOr("value", "(none)"), "")
}

// What goes beyond the operators' limits, and what cannot be read, is said beside its field, and what
// was typed is kept.
func TestChangeLimitsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	browser := b.trader(t, 0)
	b.set(t, "daily_count = 20")
	for _, test := range []struct{ field, typed, english, russian string }{
		{"minAmount", "0.5", "must be between 1.00 and 10000.00, which the operator has set", "от 1.00 до 10000.00: так решил оператор"},
		{"maxAmount", "x", "must be a plain decimal number, without sign or exponent", "число, например 1500 или 1500.50"},
		{"dailyCount", "21", "must be at most 20, which the operator has set", "не больше 20: так решил оператор"},
		{"dailyCount", "x", "must be a whole number, at least 1", "целое число, не меньше 1"},
		{"dailySum", "1.234", "has too many decimals", "слишком много знаков после запятой"},
		{"openPayments", "-1", "must be a whole number, at least 1", "целое число, не меньше 1"},
		{"workFrom", "25:00", "must be a time of day, HH:MM", "время в виде ЧЧ:ММ"},
		{"timeZone", "Mars", "is not a known time zone", "неизвестный часовой пояс"},
	} {
		for language, want := range map[string]string{"en": test.english, "ru": test.russian} {
			browser.cookies["lang"] = language
			a := browser.post(t, b.requisite(), test.field, test.typed)
			page := a.page(t)
			input := page.Find("#" + test.field)
			if a.code != http.StatusUnprocessableEntity || page.Find("#"+test.field+"-wrong").Text() != want ||
				input.AttrOr("aria-invalid", "") != "true" || input.AttrOr("value", "") != test.typed {
				t.Errorf("%s %q: %d %s", test.field, test.typed, a.code, a.text())
			}
		}
	}
	changes := b.Count(t, "select count(*) from requisite where own_min_amount is not null")
	want(t, "a refused form changed something", changes, 0)
}

// Those of a desk see limits and change none; another trader finds nothing there.
func TestRequisiteOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "desk", caller.Trader, caller.Desk, b.traders[0].ID)
	desk := b.signIn(t, "desk")
	page := desk.page(t, b.requisite())
	want(t, "a desk can change limits",
		line(page.Find("main button").Length(), page.Find("input:not([disabled]):not([type=hidden])").Length()), "0 0")
	want(t, "a desk has", desk.page(t, requisites).Find("main form").Length(), 0)
	if a := desk.post(t, b.requisite(), "minAmount", "5"); a.code != http.StatusForbidden {
		t.Errorf("a desk changes limits: %d", a.code)
	}
	foreign := b.trader(t, 1)
	for _, a := range []answer{
		foreign.get(t, b.requisite()), foreign.post(t, b.requisite(), "minAmount", "5"), foreign.post(t, b.requisite()+"/switch", "on", "0"),
		foreign.get(t, requisites+"/999"), foreign.get(t, requisites+"/x"),
	} {
		want(t, "a foreign trader", a.code, http.StatusNotFound)
	}
	wantNot(t, "a trader sees another's requisite", foreign.get(t, requisites).text(), "1 to 10,000 ₽")
}
