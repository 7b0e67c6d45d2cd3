package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// An operator sets up everything that a payment needs with nothing but pages.
func TestSetUpByPages(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	merchant := p.Made(t, "/operator/merchants/new", "name", "Acme <i>", "ratePercent", "4,5")
	trader := p.Made(t, "/operator/traders/new", "name", "Desk <b>", "sharePercent", "1.5")
	a := p.Fill(t, "/operator/cashboxes/new?merchant="+portaltest.Last(merchant), "name", "Shop", "currency", "RUB",
		"traderCashboxId", portaltest.Last(trader))
	want(t, "a new cashbox", line(a.Code, a.Page(t).Find("#secret").Length()), "200 1")
	box := a.Page(t).Find("main a.primary").AttrOr("href", "")
	p.Made(t, box+"/methods/sbp", "marginPercent", "3", "minAmount", "100")
	p.Made(t, box+"/payouts/sbp", "markupPercent", "2")
	p.Made(t, trader+"/payouts/RUB/sbp")
	p.Made(t, trader+"/processor", "url", "https://cards.example", "keyId", "k1", "secret", strings.Repeat("s", 16))
	wantIn(t, "how the processor works", words(p.Page(t, trader).Find("main")), "https://cards.example k1 – 0 0 – 0")
	requisite := p.Made(t, "/operator/requisites/new?trader="+portaltest.Last(trader), "method", "RUB/sbp",
		"value", "+7 900 123-45-67", "bank", "Bank")
	p.Made(t, "/operator/requisites/new?trader="+portaltest.Last(trader), "method", "RUB/mtstpay", "value", "")
	p.Made(t, "/operator/limits/RUB", "minAmount", "10", "maxAmount", "100 000", "confirmed", "1", "reason", "the first")
	p.Made(t, "/operator/banks/RUB", "name", "Alpha", "methods", "sbp", "link", "https://alpha.example/{phone}",
		"steps", "en: Open it", "source", "https://alpha.example/docs")
	a = p.Fill(t, "/operator/users/new?merchant="+portaltest.Last(merchant), "login", "acme-owner")
	_, token, found := strings.Cut(a.Page(t).Find("#secret").Text(), "/invitation/")
	want(t, "an invitation", line(a.Code, found), "200 true")
	owner := b.Nobody()
	a = owner.Post(t, "/invitation/"+token, "password", portaltest.Password, "again", portaltest.Password)
	want(t, "accepted", a.Code, http.StatusSeeOther)
	wantIn(t, "the new owner does not see their cashbox", words(owner.Page(t, "/merchant/developers/keys").Find("main")), "Shop")
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
		page := p.Page(t, path)
		for _, text := range texts {
			wantIn(t, path, words(page.Find("body")), text)
		}
		want(t, path+": a name's elements", page.Find("main td i, main h1 i, main td b, main h1 b").Length(), 0)
	}
}

// A form that somebody else was faster than changes nothing and says so; one that is sent twice acts once.
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
	for _, test := range []struct{ path, field, value string }{
		{"/operator/merchants/new", "name", " "},
		{"/operator/merchants/new", "ratePercent", "101"},
		{fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID), "maxOpenPayments", "<b>x"},
		{fmt.Sprintf("/operator/merchants/%d", b.Merchant.ID), "name", " "},
		{fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "name", ""},
		{fmt.Sprintf("/operator/traders/%d", b.Traders[0].ID), "name", ""},
		{"/operator/cashboxes/new", "merchantId", "987654"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "pageColor", "red"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "depositCallbackUri", "http://shop.example"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "frameOrigin", "shop"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "returnHosts", "https://x/"},
		{fmt.Sprintf("/operator/cashboxes/%d", b.Merchant.CashboxID), "traderCashboxId", "987654"},
		{fmt.Sprintf("/operator/cashboxes/%d/methods/sbp", b.Merchant.CashboxID), "validitySeconds", "0"},
		{"/operator/traders/new", "sharePercent", "many"},
		{fmt.Sprintf("/operator/traders/%d/processor", b.Traders[0].ID), "url", "http://cards.example"},
		{"/operator/requisites/new", "value", "12"},
		{"/operator/requisites/new", "timeZone", "Mars"},
		{fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0]), "minAmount", "1,234"},
		{fmt.Sprintf("/operator/requisites/%d", b.Traders[0].Requisites[0]), "dailyCount", "-1"},
		{"/operator/users/new", "login", "7"},
		{"/operator/limits/RUB", "minAmount", "x"},
		{"/operator/banks/RUB", "link", "javascript:alert(1)"},
	} {
		for _, language := range []string{"en", "ru"} {
			p.Get(t, "/operator?lang="+language)
			a := p.Fill(t, test.path, test.field, test.value)
			want(t, test.path+" "+test.field, a.Code, http.StatusUnprocessableEntity)
			page := a.Page(t)
			wrong := words(page.Find("#" + test.field + "-wrong"))
			testenv.Check(t, wrong != "" && (language != "ru" || strings.ContainsAny(wrong, "абвгдеиноприст")),
				"%s, %s: %q is wrong and it says %q", test.path, test.field, test.value, wrong)
			typed := page.Find("#"+test.field).AttrOr("value", page.Find("#"+test.field).Text())
			want(t, test.path+" "+test.field+" typed", strings.TrimSpace(typed), strings.TrimSpace(test.value))
		}
	}
}

// Whoever may not change the directory sees it without a form, and nobody sees a requisite whole without leaving a trace.
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

// An administrator changes a user's role, switches them off and on, ends their sessions and invites them anew; each once.
func TestUsersByPages(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	id := b.User(t, "other", caller.MerchantPortal, caller.Developer, b.Merchant.ID)
	path := fmt.Sprintf("/operator/users/%d", id)
	signed := b.SignIn(t, "other")
	old := p.Typed(t, path, "role", "support")
	p.Made(t, path, "role", "finance")
	want(t, "another role", b.UserStands(t, id), "finance true true")
	want(t, "their session", signed.Get(t, "/account").Code, http.StatusSeeOther)
	want(t, "too late", p.Post(t, path, old...).Code, http.StatusConflict)
	want(t, "a foreign role", p.Fill(t, path, "role", "desk").Code, http.StatusUnprocessableEntity)
	signed = b.SignIn(t, "other")
	p.Made(t, path+"/end")
	want(t, "ended", signed.Get(t, "/account").Code, http.StatusSeeOther)
	wantIn(t, "without a reason", line(p.Fill(t, path+"/off", "reason", " ").Code, b.UserStands(t, id)), "422 finance true true")
	p.Made(t, path+"/off", "reason", "they left")
	wantIn(t, "the history", words(p.Page(t, path).Find("main")), "Reason: they left")
	want(t, "off", b.UserStands(t, id), "finance false true")
	p.Made(t, path+"/on")
	want(t, "without a token", p.Post(t, path+"/off").To(), path+"/off")
	want(t, "on", b.UserStands(t, id), "finance true true")
	fields := p.Typed(t, path+"/reinvite")
	a := p.Post(t, path+"/reinvite", fields...)
	want(t, "invited anew", line(a.Code, a.Page(t).Find("#secret").Length(), b.UserStands(t, id)), "200 1 finance true false")
	want(t, "sent twice", p.Post(t, path+"/reinvite", fields...).Led(), "303 "+path+" invited-before")
	want(t, "no such step", p.Get(t, path+"/nonsense").Code, http.StatusNotFound)
	wantIn(t, "the history", words(p.Page(t, path).Find("main")), "Role: developer → finance", "Ended all sessions")
}

// What a service refuses is said in the reader's language: here that somebody waits for an owner's answer.
func TestRefusalInRussian(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	b.AskedMerchant(t)
	var anna int64
	noError(t, b.Pool.QueryRow(t.Context(), "select id from app_user where login = 'anna'").Scan(&anna))
	path := fmt.Sprintf("/operator/users/%d/off", anna)
	p.Page(t, path+"?lang=ru")
	a := p.Fill(t, path, "reason", "they left")
	want(t, "refused", a.Code, http.StatusConflict)
	wantIn(t, "in Russian", words(a.Page(t).Find("main")), "Ничего не сделано. Кто-то ждёт ответа этого владельца")
}

// A bank's logo is sent with its form, and stays when the form is sent without one.
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

// The list of traders tells how each works.
func TestTradersHealth(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	for range 2 {
		made := b.Create(t, "1500")
		b.Clock.Advance(90 * time.Second)
		testenv.Must(b.Payments.Confirm(t.Context(), b.AsTrader(), made.ID))(t)
	}
	row := p.Page(t, "/operator/traders").Find("tr[data-row]").Last()
	wantIn(t, "the first trader", strings.ReplaceAll(portaltest.Words(row), "\u00a0", " "), "100 %", "1 min 30 s", " of ")
	want(t, "a sparkline", row.Find("svg.spark").Length(), 1)
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	line, words           = portaltest.Line, portaltest.Words
	noError               = testenv.NoError
)

// A merchant who requests a deposit is shown where to send it, and an operator which deposits went elsewhere.
func TestReceivingAddress(t *testing.T) {
	const ours, another = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"
	b, p := portaltest.Operator(t, caller.Admin)
	owner := b.As(t, caller.Owner)
	ask := func(pairs ...string) string {
		return owner.Post(t, "/merchant/deposits", portaltest.Hidden(owner.Page(t, "/merchant/deposits/new"),
			append(pairs, "cashbox", fmt.Sprint(b.Merchant.CashboxID), "amount", "25.5", "network", "TRC20")...)...).To()
	}
	elsewhere := ask("address", another)
	p.Made(t, "/operator/receiving/TRC20", "address", ours)
	wantIn(t, "the addresses", words(p.Page(t, "/operator/receiving").Find("main")), "TRC20 "+ours)
	if page := owner.Page(t, "/merchant/deposits/new"); page.Find("[name=address]").Length() > 0 {
		t.Error("a merchant is asked where they send the USDT, which the platform says")
	}
	closed := owner.Post(t, "/merchant/deposits", portaltest.Hidden(owner.Page(t, "/merchant/deposits/new"),
		"cashbox", fmt.Sprint(b.Merchant.CashboxID), "amount", "25.5", "network", "ERC20")...)
	wantIn(t, "a network without an address", closed.Text(), "takes no deposits by this network any more")
	sent := ask()
	page := owner.Page(t, sent)
	wantIn(t, "what to do", words(page.Find("main")), "Send 25.50 USDT by TRC20 "+ours)
	testenv.Check(t, page.Find(".qr svg").Length() == 1, "there is no QR code of the address")
	const mark = "Not the platform's."
	for path, marked := range map[string]bool{sent: false, elsewhere: true} {
		page := words(p.Page(t, strings.Replace(path, "/merchant/", "/operator/", 1)).Find("main"))
		testenv.Check(t, strings.Contains(page, mark) == marked, "%s: marked %v: %s", path, !marked, page)
	}
}
