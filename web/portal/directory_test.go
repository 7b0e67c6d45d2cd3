package portal_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
)

// operator signs in an operator of a role.
func (b *bundle) operator(t testing.TB, role caller.Role) *person {
	t.Helper()
	login := "operator-" + string(role)
	b.user(t, login, caller.Operator, role, 0)
	return b.signIn(t, login)
}

// fill sends a page's form with these fields in place of its own, as a browser does.
func (p *person) fill(t testing.TB, path string, fields ...string) answer {
	t.Helper()
	return p.post(t, path, p.typed(t, path, fields...)...)
}

// typed are the fields of a page's form, with these in place of its own. A field of "" is not sent.
func (p *person) typed(t testing.TB, path string, fields ...string) []string {
	t.Helper()
	given := map[string]bool{}
	var all []string
	for i := 0; i < len(fields); i += 2 {
		given[fields[i]] = true
		if fields[i+1] != "-" {
			all = append(all, fields[i], fields[i+1])
		}
	}
	form := p.page(t, path).Find("main form:has([name=token])")
	for i := range form.Find("[name]").Nodes {
		one := form.Find("[name]").Eq(i)
		name, value := one.AttrOr("name", ""), one.AttrOr("value", "")
		_, checked := one.Attr("checked")
		switch {
		case given[name] || one.AttrOr("type", "") == "checkbox" && !checked:
			continue
		case one.Is("select"):
			value = one.Find("option[selected]").AttrOr("value", one.Find("option").First().AttrOr("value", ""))
		case one.Is("textarea"):
			value = one.Text()
		}
		all = append(all, name, value)
	}
	return all
}

// made fills a form in that makes something, and is where that led.
func (p *person) made(t testing.TB, path string, fields ...string) string {
	t.Helper()
	a := p.fill(t, path, fields...)
	if a.code != http.StatusSeeOther {
		t.Fatalf("%s: %d %s", path, a.code, a.text())
	}
	return a.to()
}

func last(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// An operator sets up everything that a payment needs with nothing but pages.
func TestSetUpByPages(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	merchant := p.made(t, "/operator/merchants/new", "name", "Acme <i>", "ratePercent", "4,5")
	trader := p.made(t, "/operator/traders/new", "name", "Desk <b>", "sharePercent", "1.5")
	a := p.fill(t, "/operator/cashboxes/new?merchant="+last(merchant), "name", "Shop", "currency", "RUB",
		"traderCashboxId", last(trader))
	want(t, "a new cashbox", line(a.code, a.page(t).Find("#secret").Length()), "200 1")
	box := a.page(t).Find("main a.primary").AttrOr("href", "")
	p.made(t, box+"/methods/sbp", "marginPercent", "3", "minAmount", "100")
	p.made(t, box+"/payouts/sbp", "markupPercent", "2")
	p.made(t, trader+"/payouts/RUB/sbp")
	p.made(t, trader+"/processor", "url", "https://cards.example", "keyId", "k1", "secret", strings.Repeat("s", 16))
	requisite := p.made(t, "/operator/requisites/new?trader="+last(trader), "method", "RUB/sbp",
		"value", "+7 900 123-45-67", "bank", "Bank")
	p.made(t, "/operator/requisites/new?trader="+last(trader), "method", "RUB/mtstpay", "value", "")
	p.made(t, "/operator/limits/RUB", "minAmount", "10", "maxAmount", "100 000")
	p.made(t, "/operator/banks/RUB", "name", "Alpha", "methods", "sbp", "link", "https://alpha.example/{phone}",
		"steps", "en: Open it", "source", "https://alpha.example/docs")
	a = p.fill(t, "/operator/users/new?merchant="+last(merchant), "login", "acme-owner")
	_, token, found := strings.Cut(a.page(t).Find("#secret").Text(), "/invitation/")
	want(t, "an invitation", line(a.code, found), "200 true")
	owner := b.nobody()
	a = owner.post(t, "/invitation/"+token, "password", password, "again", password)
	want(t, "accepted", a.code, http.StatusSeeOther)
	wantIn(t, "the new owner does not see their cashbox",
		words(owner.page(t, "/merchant/developers/keys").Find("main")), "Shop")
	for path, texts := range map[string][]string{
		merchant:                         {"Acme <i>", "Shop", "acme-owner", "Markup, %: 4.50", "operator-admin"},
		box:                              {"SBP", "3 On", "2 On", "Acme <i>"},
		trader:                           {"Desk <b>", "•••• 4567", "https://cards.example", "Card payments", "Shop"},
		requisite:                        {"•••• 4567", "Bank"},
		"/operator/merchants?q=acme":     {"Acme <i>"},
		"/operator/cashboxes?q=acme":     {"Shop"},
		"/operator/requisites?q=4567":    {"•••• 4567"},
		"/operator/users?q=acme":         {"acme-owner", "Active"},
		"/operator/limits":               {"RUB 10 100,000"},
		"/operator/banks?currency=RUB":   {"Alpha"},
		"/operator/banks/RUB?bank=Alpha": {"Created", "Open it"},
	} {
		page := p.page(t, path)
		for _, text := range texts {
			wantIn(t, path, strings.ReplaceAll(words(page.Find("body")), "\u202f", ","), text)
		}
		want(t, path+": a name's elements", page.Find("main td i, main h1 i, main td b, main h1 b").Length(), 0)
	}
}

// A form that somebody else was faster than changes nothing and says so; one that is sent twice acts
// once.
func TestStaleSettings(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	requisite := fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0])
	paths := map[string][]string{
		fmt.Sprintf("/operator/merchants/%d", b.merchant.ID):                    {"name", "One", "Other"},
		fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID):             {"pageColor", "#112233", "#445566"},
		fmt.Sprintf("/operator/cashboxes/%d/methods/sbp", b.merchant.CashboxID): {"validitySeconds", "601", "602"},
		fmt.Sprintf("/operator/cashboxes/%d/payouts/sbp", b.merchant.CashboxID): {"markupPercent", "1", "2"},
		fmt.Sprintf("/operator/traders/%d", b.traders[0].ID):                    {"sharePercent", "0.5", "0.6"},
		fmt.Sprintf("/operator/traders/%d/processor", b.traders[0].ID): {
			"url",
			"https://a.example",
			"https://b.example",
		},
		requisite:              {"dailyCount", "31", "32"},
		"/operator/limits/RUB": {"maxAmount", "300.00", "400.00"},
	}
	for path, change := range paths {
		name, first, second := change[0], change[1], change[2]
		more := []string{name, first}
		if strings.HasSuffix(path, "processor") {
			more = append(more, "keyId", "k", "secret", strings.Repeat("s", 16))
		}
		if strings.HasSuffix(path, "RUB") {
			more = append(more, "minAmount", "1")
		}
		mine := p.typed(t, path, more...)
		more[1] = second
		theirs := p.typed(t, path, more...)
		a := p.post(t, path, mine...)
		want(t, path+": saved", line(a.code, p.cookies["flash"]), "303 setting-saved")
		to := a.to()
		a = p.post(t, path, mine...)
		want(t, path+": sent twice", line(a.code, a.to() == to), "303 true")
		a = p.post(t, path, theirs...)
		want(t, path+": too late", a.code, http.StatusConflict)
		wantIn(t, path+", too late", a.text(), "Nothing was overwritten", second)
		want(t, path+": stands", p.page(t, path).Find("[name="+name+"]").AttrOr("value", ""), first)
	}
}

// What is wrong is said at its field, with what was typed, and in Russian.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	for _, test := range []struct{ path, field, value string }{
		{"/operator/merchants/new", "name", " "},
		{"/operator/merchants/new", "ratePercent", "101"},
		{fmt.Sprintf("/operator/merchants/%d", b.merchant.ID), "maxOpenPayments", "<b>x"},
		{fmt.Sprintf("/operator/merchants/%d", b.merchant.ID), "name", " "},
		{fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID), "name", ""},
		{fmt.Sprintf("/operator/traders/%d", b.traders[0].ID), "name", ""},
		{"/operator/cashboxes/new", "merchantId", "987654"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID), "pageColor", "red"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID), "frameOrigin", "shop"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID), "returnHosts", "https://x/"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID), "traderCashboxId", "987654"},
		{fmt.Sprintf("/operator/cashboxes/%d/methods/sbp", b.merchant.CashboxID), "validitySeconds", "0"},
		{"/operator/traders/new", "sharePercent", "many"},
		{fmt.Sprintf("/operator/traders/%d/processor", b.traders[0].ID), "url", "http://cards.example"},
		{"/operator/requisites/new", "value", "12"},
		{"/operator/requisites/new", "timeZone", "Mars"},
		{fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0]), "minAmount", "1,234"},
		{fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0]), "dailyCount", "-1"},
		{"/operator/users/new", "login", "7"},
		{"/operator/limits/RUB", "minAmount", "x"},
		{"/operator/banks/RUB", "link", "javascript:alert(1)"},
	} {
		for _, language := range []string{"en", "ru"} {
			p.get(t, "/operator?lang="+language)
			a := p.fill(t, test.path, test.field, test.value)
			want(t, test.path+" "+test.field, a.code, http.StatusUnprocessableEntity)
			page := a.page(t)
			wrong := words(page.Find("#" + test.field + "-wrong"))
			if wrong == "" || language == "ru" && !strings.ContainsAny(wrong, "абвгдеиноприст") {
				t.Errorf("%s, %s: %q is wrong and it says %q", test.path, test.field, test.value, wrong)
			}
			typed := page.Find("#"+test.field).AttrOr("value", page.Find("#"+test.field).Text())
			want(t, test.path+" "+test.field+" typed", strings.TrimSpace(typed), strings.TrimSpace(test.value))
		}
	}
}

// Whoever may not change the directory sees it without a form, and nobody sees a requisite whole
// without leaving a trace.
func TestReadTheDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	admin := b.operator(t, caller.Admin)
	requisite := fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0])
	admin.made(t, requisite, "dailyCount", "31", "holder", "<script>x</script>")
	value := fmt.Sprintf("+7900%03d0000", b.traders[0].ID)
	for _, role := range []caller.Role{caller.Treasury, caller.Support, caller.Auditor} {
		p := b.operator(t, role)
		for _, path := range []string{
			requisite, "/operator/requisites", fmt.Sprintf("/operator/merchants/%d", b.merchant.ID),
			fmt.Sprintf("/operator/traders/%d", b.traders[0].ID), "/operator/users/1", "/operator/limits/RUB",
			fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID), "/operator/banks/RUB",
		} {
			a := p.get(t, path)
			want(t, path, a.code, http.StatusOK)
			page := a.page(t)
			want(t, string(role)+" "+path+": changes", page.Find("main [name=token], main a[href$='/new']").Length(), 0)
			want(t, path+": scripts", page.Find("main script").Length(), 0)
			wantNot(t, path+" shows the whole requisite", a.body, value)
		}
		a := p.post(t, requisite+"/value")
		if sees := a.code == http.StatusOK && strings.Contains(a.text(), value); sees != (role != caller.Auditor) {
			t.Errorf("%s sees the requisite: %t, %d", role, sees, a.code)
		}
	}
	reads := b.Text(t, `select string_agg(login || ' ' || subject || ' ' || what, ', ' order by id)
		from sensitive_read where subject_key = $1`,
		fmt.Sprint(b.traders[0].Requisites[0]))
	want(t, "who read it", reads, "operator-treasury requisite value, operator-support requisite value")
	log := admin.page(t, "/operator/audit?status=read&q=operator-support").Find("tbody tr")
	want(t, "readings in the log", log.Length(), 1)
	wantIn(t, "the log says", log.Text(), fmt.Sprintf("Whole value of Requisite № %d", b.traders[0].Requisites[0]))
}

// An administrator changes a user's role, switches them off and on, ends their sessions and invites
// them anew; each once.
func TestUsersByPages(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	id := b.user(t, "other", caller.MerchantPortal, caller.Developer, b.merchant.ID)
	path := fmt.Sprintf("/operator/users/%d", id)
	signed := b.signIn(t, "other")
	old := p.typed(t, path, "role", "support")
	p.made(t, path, "role", "finance")
	want(t, "another role", b.userStands(t, id), "finance true true")
	want(t, "their session", signed.get(t, "/account").code, http.StatusSeeOther)
	want(t, "too late", p.post(t, path, old...).code, http.StatusConflict)
	want(t, "a foreign role", p.fill(t, path, "role", "desk").code, http.StatusUnprocessableEntity)
	signed = b.signIn(t, "other")
	p.made(t, path+"/end")
	want(t, "ended", signed.get(t, "/account").code, http.StatusSeeOther)
	p.made(t, path+"/off")
	want(t, "off", b.userStands(t, id), "finance false true")
	p.made(t, path+"/on")
	want(t, "without a token", p.post(t, path+"/off").to(), path+"/off")
	want(t, "on", b.userStands(t, id), "finance true true")
	fields := p.typed(t, path+"/reinvite")
	a := p.post(t, path+"/reinvite", fields...)
	want(t, "invited anew", line(a.code, a.page(t).Find("#secret").Length(), b.userStands(t, id)),
		"200 1 finance true false")
	a = p.post(t, path+"/reinvite", fields...)
	want(t, "sent twice", line(a.code, a.to(), p.cookies["flash"]), "303 "+path+" invited-before")
	want(t, "no such step", p.get(t, path+"/nonsense").code, http.StatusNotFound)
	wantIn(t, "the history", words(p.page(t, path).Find("main")), "Role: developer → finance",
		"Ended all sessions")
}

// A bank's logo is sent with its form, and stays when the form is sent without one.
func TestBankLogo(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.operator(t, caller.Admin)
	send := func(path, logo string, fields ...string) answer {
		t.Helper()
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		typed := p.typed(t, path, append(fields, "logo", "-")...)
		for i := 0; i < len(typed); i += 2 {
			noError(t, form.WriteField(typed[i], typed[i+1]))
		}
		file, err := form.CreateFormFile("logo", "logo.png")
		noError(t, err)
		_, err = file.Write([]byte(logo))
		noError(t, err)
		noError(t, form.Close())
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+path, &body)
		noError(t, err)
		return p.send(t, r, "Origin", b.server.URL, "Sec-Fetch-Site", "same-origin",
			"Content-Type", form.FormDataContentType())
	}
	fields := []string{
		"name", "Alpha & Co", "methods", "sbp", "link", "https://alpha.example/{phone}", "source",
		"https://alpha.example",
	}
	a := send("/operator/banks/RUB", "<svg onload=alert(1)>", fields...)
	want(t, "no picture", line(a.code, words(a.page(t).Find("#logo-wrong"))),
		"422 must be a PNG or WebP of at most 32768 bytes")
	a = send("/operator/banks/RUB", "\x89PNG\r\n\x1a\n", fields...)
	want(t, "made", line(a.code, p.cookies["flash"]), "303 setting-saved")
	page := "/operator/banks/RUB?bank=Alpha+%26+Co"
	a = send(page, "", "link", "https://alpha.example/pay")
	want(t, "changed", line(a.code, p.cookies["flash"]), "303 setting-saved")
	a = send("/operator/banks/RUB", "", fields...)
	want(t, "made again", a.code, http.StatusConflict)
	text := words(p.page(t, page).Find("main"))
	wantIn(t, "the bank", text, "Logo yes",
		"https://alpha.example/{phone} → https://alpha.example/pay")
}
