package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A form that somebody else was faster than changes nothing and says so; one
// that is sent twice acts once.
func TestStaleSettings(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	paths := map[string][]string{
		fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID):                    {"name", "One", "Other"},
		fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID):             {"pageColor", "#112233", "#445566"},
		fmt.Sprintf("/operator/cashboxes/%d/methods/sbp", b.Merchant.CashboxID): {"validitySeconds", "601", "602"},
		fmt.Sprintf("/operator/cashboxes/%d/payouts/sbp", b.Merchant.CashboxID): {"markupPercent", "1", "2"},
		fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID):                    {"sharePercent", "0.5", "0.6"},
		fmt.Sprintf("/operator/traders/%d/processor", b.Traders[0].ID):          {"url", "https://a.example", "https://b.example"},
		fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0]):      {"dailyCount", "31", "32"},
		"/operator/limits/RUB": {"maxAmount", "300.00", "400.00"},
	}
	for path, change := range paths {
		name, first, second := change[0], change[1], change[2]
		more := []string{name, first}
		if strings.HasSuffix(path, "processor") {
			more = append(more, "keyId", "k", "secret", strings.Repeat("s", 16))
		}
		if strings.HasSuffix(path, "RUB") {
			more = append(more, "minAmount", "1", "confirmed", "1", "reason", "why")
		}
		mine := p.Typed(t, path, more...)
		more[1] = second
		theirs := p.Typed(t, path, more...)
		a := p.Post(t, path, mine...)
		want(t, path+": saved", a.Led(), line(303, strings.TrimSuffix(path, "/processor"), "setting-saved"))
		to := a.To()
		a = p.Post(t, path, mine...)
		want(t, path+": sent twice", line(a.Code, a.To() == to), "303 true")
		a = p.Post(t, path, theirs...)
		want(t, path+": too late", a.Code, http.StatusConflict)
		wantIn(t, path+", too late", a.Text(), "Nothing was overwritten", second)
		want(t, path+": stands", p.Page(t, path).Find("[name="+name+"]").AttrOr("value", ""), first)
	}
}

// What is wrong is said at its field, with what was typed, and in Russian.
func TestWrongSettings(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	ids := strings.NewReplacer("{merchant}", fmt.Sprint(b.Merchant.ID), "{box}", fmt.Sprint(b.Merchant.CashboxID),
		"{trader}", fmt.Sprint(b.Traders[0].ID), "{requisite}", fmt.Sprint(b.Traders[0].Requisites[0]))
	for _, row := range testenv.Rows(t, "wrong.txt") {
		path, field, value := ids.Replace(row[0]), row[1], row[2]
		for _, language := range []string{"en", "ru"} {
			p.Get(t, "/operator?lang="+language)
			a := p.Fill(t, path, field, value)
			want(t, path+" "+field, a.Code, http.StatusUnprocessableEntity)
			page := a.Page(t)
			wrong := words(page.Find("#" + field + "-wrong"))
			testenv.Check(t, wrong != "" && (language != "ru" || strings.ContainsAny(wrong, "абвгдеиноприст")),
				"%s, %s: %q is wrong and it says %q", path, field, value, wrong)
			typed := page.Find("#"+field).AttrOr("value", page.Find("#"+field).Text())
			want(t, path+" "+field+" typed", strings.TrimSpace(typed), strings.TrimSpace(value))
		}
	}
}

// Whoever may not change the directory sees it without a form, and nobody sees
// a requisite whole without leaving a trace.
func TestReadTheDirectory(t *testing.T) {
	b, admin := portaltest.Operator(t, caller.Admin)
	requisite := fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0])
	admin.Made(t, requisite, "dailyCount", "31", "holder", "<script>x</script>")
	value := fmt.Sprintf("+7900%03d0000", b.Traders[0].ID)
	for _, role := range []caller.Role{caller.Treasury, caller.Support, caller.Auditor} {
		p := b.Operator(t, role)
		for _, path := range []string{
			requisite, "/operator/requisites", fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID),
			fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID), "/operator/users/1", "/operator/limits/RUB",
			fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "/operator/banks/RUB",
		} {
			a := p.Get(t, path)
			want(t, path, a.Code, http.StatusOK)
			page := a.Page(t)
			want(t, string(role)+" "+path+": changes", page.Find("main [name=token], main a[href$='/new']").Length(), 0)
			want(t, path+": scripts", page.Find("main script").Length(), 0)
			wantNot(t, path+" shows the whole requisite", a.Body, value)
		}
		a := p.Post(t, requisite+"/value")
		sees := a.Code == http.StatusOK && strings.Contains(a.Text(), value)
		testenv.Check(t, sees == (role != caller.Auditor), "%s sees the requisite: %t, %d", role, sees, a.Code)
	}
	reads := b.Text(t, `select string_agg(login || ' ' || subject || ' ' || what, ', ' order by id)
		from sensitive_read where subject_key = $1`,
		fmt.Sprint(b.Traders[0].Requisites[0]))
	want(t, "who read it", reads, "operator-treasury requisite value, operator-support requisite value")
	log := admin.Page(t, "/operator/audit?status=read&q=operator-support").Find("tbody tr")
	want(t, "readings in the log", log.Length(), 1)
	wantIn(t, "the log says", log.Text(), fmt.Sprintf("Whole value of Requisite № %d", b.Traders[0].Requisites[0]))
}

// What a service refuses is said in the reader's language: here that somebody
// waits for an owner's answer.
func TestRefusalInRussian(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	b.AskedMerchant(t)
	var anna int64
	testenv.NoError(t, b.Pool.QueryRow(t.Context(), "select id from app_user where login = 'anna'").Scan(&anna))
	path := fmt.Sprintf("/operator/users/%d/off", anna)
	p.Page(t, path+"?lang=ru")
	a := p.Fill(t, path, "reason", "they left")
	want(t, "refused", a.Code, http.StatusConflict)
	wantIn(t, "in Russian", words(a.Page(t).Find("main")), "Ничего не сделано. Кто-то ждёт ответа этого владельца")
}

// A bank's logo is sent with its form, and stays when the form is sent without
// one.
func TestBankLogo(t *testing.T) {
	_, p := portaltest.Operator(t, caller.Admin)
	send := func(path, logo string, fields ...string) portaltest.Answer {
		t.Helper()
		return p.UploadAs(t, path, "logo", p.Typed(t, path, append(fields, "logo", "-")...), "logo.png", logo)
	}
	fields := []string{
		"name", "Alpha & Co", "methods", "sbp", "link", "https://alpha.example/{phone}", "source",
		"https://alpha.example",
	}
	a := send("/operator/banks/RUB", "<svg onload=alert(1)>", fields...)
	want(t, "no picture", a.At(t, "#logo-wrong"), "422 must be a PNG or WebP of at most 32768 bytes")
	want(t, "made", send("/operator/banks/RUB", "\x89PNG\r\n\x1a\n", fields...).Led(), "303 /operator/banks?currency=RUB setting-saved")
	page := "/operator/banks/RUB?bank=Alpha+%26+Co"
	want(t, "changed", send(page, "", "link", "https://alpha.example/pay").Led(), "303 /operator/banks?currency=RUB setting-saved")
	want(t, "made again", send("/operator/banks/RUB", "", fields...).Code, http.StatusConflict)
	wantIn(t, "the bank", words(p.Page(t, page).Find("main")), "Logo yes", "https://alpha.example/{phone} → https://alpha.example/pay")
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What operators set, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	line, words           = portaltest.Line, portaltest.Words
)
