package sandbox_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook/signing"
	"gateway.example/web/portal/portaltest"
)

// sandbox is a bundle whose portals are a sandbox's.
func sandbox(t *testing.T) *portaltest.Bundle {
	t.Helper()
	b := portaltest.Parallel(t)
	b.AsSandbox(t)
	return b
}

// The first page tells what there is to try, and no secrets.
func TestSandboxStart(t *testing.T) {
	browser := sandbox(t).Nobody()
	a := browser.Get(t, "/")
	says(t, a, "Create a payment below", "trader-1", "shop", "http://api.example", "the-key", "dir/sandbox.json",
		"docs/integrate.md", "Nothing yet.")
	page := a.Page(t)
	want(t, "users to sign in as; a payer has no portal", page.Find(`form[action="/sandbox/sign-in"]`).Length(), 2)
	want(t, "things to make", page.Find(`form[action="/sandbox/payments"], form[action="/sandbox/payouts"]`).Length(), 3)
	browser.Cookies["lang"] = "ru"
	says(t, browser.Get(t, "/"), "Создайте платёж ниже", "Создать выплату", "Войти одним нажатием", "Что вы создали")
}

// A click signs in, and leads to what was asked for. The session before it ends.
func TestSandboxSignIn(t *testing.T) {
	b := sandbox(t)
	browser := b.Nobody()
	a := browser.Post(t, "/sandbox/sign-in?next=/trader/requisites", "login", "trader-1")
	testenv.Need(t, a.To() == "/trader/requisites", "%d, to %s", a.Code, a.To())
	browser.Page(t, "/trader")
	first := browser.Cookie()
	browser.Post(t, "/sandbox/sign-in", "login", "shop")
	old := &portaltest.Person{Bundle: b, Cookies: map[string]string{"session": first}}
	want(t, "the session before goes on", old.Get(t, "/trader").Code, http.StatusSeeOther)
	b.User(t, "somebody", caller.Operator, caller.Admin, 0)
	for _, login := range []string{"somebody", "", "nobody"} {
		a := b.Nobody().Post(t, "/sandbox/sign-in", "login", login)
		testenv.Check(t, a.Code == http.StatusNotFound && a.Header.Get("Set-Cookie") == "", "%q signs in: %d", login, a.Code)
	}
	if a := b.Nobody().Post(t, "/sandbox/sign-in?next=//evil.example", "login", "trader-1"); a.To() != "/trader" {
		t.Errorf("to %s", a.To())
	}
}

// A payment is made with a fresh order id at each click, and stands in the list with all its pages.
func TestSandboxMakesPayments(t *testing.T) {
	b := sandbox(t)
	browser := b.Nobody()
	box := strconv.FormatInt(b.Merchant.CashboxID, 10)
	for _, amount := range []string{"1 234,50", "900"} {
		a := browser.Post(t, "/sandbox/payments", "cashbox", box, "method", "sbp", "amount", amount)
		testenv.Need(t, a.Code == http.StatusSeeOther && a.To() == "/#made", "%d: %s", a.Code, a.Text())
	}
	a := browser.Get(t, "/")
	says(t, a, "The payment is created.", "Payment 1", "Payment 2", "1,234.50 ₽", "900 ₽", "As trader-1")
	var id, callback string
	noError(t, b.Pool.QueryRow(t.Context(), "select uuid, callback_uri from payment order by id limit 1").Scan(&id, &callback))
	want(t, "webhooks go to", callback, "http://127.0.0.1:8082/sandbox/hooks/"+box)
	page := a.Page(t)
	want(t, "the payer's page is", page.Find("#payment-1 a").First().AttrOr("href", ""), "http://pay.example/r/link-"+id)
	want(t, "the trader's page is", page.Find("#payment-1 form").AttrOr("action", ""), "/sandbox/sign-in?next=%2Ftrader%2Fpayments%2F1")
	region := browser.Get(t, "/sandbox/made")
	testenv.Check(t, strings.Contains(region.Body, `id="payment-2"`) && !strings.Contains(region.Body, "<main"),
		"the list alone: %d %s", region.Code, region.Body)
}

// So is a payout.
func TestSandboxMakesPayouts(t *testing.T) {
	b := sandbox(t)
	for _, method := range []string{"sbp", "c2c"} {
		b.Exec(t, "insert into cashbox_payout_method (cashbox_id, method, markup_percent) values ($1, $2, 0)", b.Merchant.CashboxID, method)
	}
	b.Fund(t, ledger.Available(ledger.Cashbox, b.Merchant.CashboxID), "1000")
	browser := b.Nobody()
	box := strconv.FormatInt(b.Merchant.CashboxID, 10)
	for _, method := range []string{"sbp", "c2c"} {
		a := browser.Post(t, "/sandbox/payouts", "cashbox", box, "method", method, "amount", "1500")
		testenv.Need(t, a.Code == http.StatusSeeOther, "%s: %d %s", method, a.Code, a.Text())
	}
	says(t, browser.Get(t, "/"), "The payout is created.", "Payout 1", "Payout 2", "1,500 ₽")
}

// What is refused is said beside its field, with what was typed, and nothing is made.
func TestSandboxRefuses(t *testing.T) {
	b := sandbox(t)
	box := strconv.FormatInt(b.Merchant.CashboxID, 10)
	for typed, wanted := range map[string]string{
		"<b>": "must be a plain decimal number", "": "is required", "5000000": "collect_requisites_not_available",
	} {
		a := b.Nobody().Post(t, "/sandbox/payments", "cashbox", box, "method", "sbp", "amount", typed)
		input := a.Page(t).Find(`input[aria-invalid="true"]`)
		want(t, typed, line(a.Code, input.Length(), input.AttrOr("value", "")), line(http.StatusUnprocessableEntity, 1, typed))
		says(t, a, wanted)
	}
	want(t, "an unknown cashbox",
		b.Nobody().Post(t, "/sandbox/payments", "cashbox", "99", "method", "sbp", "amount", "5").Code,
		http.StatusNotFound)
	if a := b.Nobody().PostForm(t, "/sandbox/payments", nil); a.Code != http.StatusForbidden {
		t.Errorf("a post that does not say where it comes from: %d", a.Code)
	}
	if a := b.Nobody().
		PostForm(t, "/sandbox/sign-in", nil, "Origin", "http://evil.example"); a.Code != http.StatusForbidden {
		t.Errorf("a post of another site: %d", a.Code)
	}
	want(t, "payments", b.Count(t, "select count(*) from payment"), 0)
}

// Webhooks are verified and shown, the newest first, with everything escaped that a stranger sent.
func TestSandboxInbox(t *testing.T) {
	b := sandbox(t)
	browser := b.Nobody()
	says(t, browser.Get(t, "/sandbox/inbox"), "No webhooks yet.")
	code := b.Deliver(t,
		`{"type":"payment.status.updated","data":{"uuid":"u-1","status":"COMPLETED"},"meta":{"id":7}}`,
		portaltest.HookSecret)
	testenv.Need(t, code == http.StatusNoContent, "a genuine webhook: %d", code)
	other := signing.FormatSecret([]byte(strings.Repeat("x", 32)))
	want(t, "a forged webhook", b.Deliver(t, `{"type":"<script>alert(1)</script>"}`, other), http.StatusBadRequest)
	a := browser.Get(t, "/sandbox/inbox")
	page := a.Page(t)
	items := page.Find("#inbox li")
	testenv.Need(t, items.Length() == 2 && page.Find("#inbox script").Length() == 0,
		"the inbox has %d webhooks: %s", items.Length(), a.Body)
	for i, wanted := range []string{"signature wrong", "signature verified"} {
		want(t, "webhook", items.Eq(i).Find(".badge").First().Text(), wanted)
	}
	wantIn(t, "the page", items.Eq(1).Text(), "payment.status.updated", "№ 7", "Completed", `"uuid": "u-1"`, "Webhook-Id: msg_1")
	want(t, "webhooks of the payment", browser.Page(t, "/sandbox/inbox?of=u-1").Find("#inbox li").Length(), 1)
	want(t, "nothing new is", browser.Get(t, "/sandbox/inbox/list?seen=2").Code, http.StatusNoContent)
	news := browser.Get(t, "/sandbox/inbox/list?seen=1")
	testenv.Check(t, news.Code == http.StatusOK && !strings.Contains(news.Body, "<main"), "news are %d", news.Code)
}

// A pending payment leads to the bank's message about it, which the trader's phone forwards.
func TestSandboxMessage(t *testing.T) {
	b := sandbox(t)
	browser := b.Nobody()
	browser.Post(t, "/sandbox/payments", "cashbox", strconv.FormatInt(b.Merchant.CashboxID, 10), "method", "sbp", "amount", "900")
	link := browser.Page(t, "/").Find("#made a[href^='/sandbox/message']").AttrOr("href", "")
	want(t, "written", browser.Page(t, link).Find("#text").Text(), "payment 1 is paid")
	want(t, "an empty one", browser.Fill(t, link, "trader", strconv.FormatInt(b.Traders[0].ID, 10), "text", "").Code, http.StatusUnprocessableEntity)
	want(t, "of nobody", browser.Fill(t, link, "trader", "987654").Code, http.StatusUnprocessableEntity)
	want(t, "sent", browser.Fill(t, link, "trader", strconv.FormatInt(b.Traders[0].ID, 10), "text", "paid").To(), "/#made")
	says(t, browser.Get(t, "/"), "The message has confirmed a payment.")
}

// What comes beyond 200 makes the oldest go.
func TestSandboxInboxIsBounded(t *testing.T) {
	b := sandbox(t)
	for range 203 {
		b.Deliver(t, `{"type":"again"}`, portaltest.HookSecret)
	}
	items := b.Nobody().Page(t, "/sandbox/inbox").Find("#inbox li")
	if first, last := items.First().AttrOr("id", ""),
		items.Last().AttrOr("id", ""); items.Length() != 200 || first != "hook-203" || last != "hook-4" {
		t.Errorf("%d webhooks, %s to %s", items.Length(), first, last)
	}
	want(t, "a megabyte", b.Deliver(t, strings.Repeat("x", 1<<20), portaltest.HookSecret), http.StatusRequestEntityTooLarge)
}

// Outside a sandbox there is nothing of this.
func TestNoSandboxOutside(t *testing.T) {
	b := portaltest.Parallel(t)
	want(t, "the first page", b.Nobody().Get(t, "/").To(), "/sign-in")
	b.User(t, "trader-1", caller.Trader, caller.Owner, b.Traders[0].ID)
	for _, path := range []string{"/sandbox/sign-in", "/sandbox/payments", "/sandbox/payouts", "/sandbox/hooks/1"} {
		browser := b.Nobody()
		a := browser.Post(t, path, "login", "trader-1", "cashbox", "1", "method", "sbp", "amount", "5")
		want(t, "POST", line(a.Code, browser.Cookie()), line(http.StatusNotFound, ""))
	}
	for _, path := range []string{"/sandbox/inbox", "/sandbox/inbox/list", "/sandbox/made", "/sandbox/message"} {
		want(t, "GET", b.Nobody().Get(t, path).Code, http.StatusNotFound)
	}
	code := b.Deliver(t, "{}", portaltest.HookSecret)
	testenv.Check(t, code >= 400, "a webhook is taken: %d", code)
}

// The wallet sends for a deposit that waits and pays a withdrawal that was handed over, and leads back to whose they are.
func TestSandboxWallet(t *testing.T) {
	b := sandbox(t)
	d, w := b.Deposited(t, "25", "first"), b.HandedOver(t)
	shop := b.Nobody()
	shop.Post(t, "/sandbox/sign-in", "login", "shop")
	deposit := "/sandbox/wallet/deposits/" + strconv.FormatInt(d.ID, 10)
	a := shop.Post(t, deposit)
	want(t, "back at the deposit", line(a.Code, a.To()), "303 /merchant/deposits/"+strconv.FormatInt(d.ID, 10))
	nobody := b.Nobody()
	page := nobody.Get(t, "/sandbox/wallet")
	says(t, page, "25.00 USDT", "20.00 USDT", "7 of 20", "<b>")
	want(t, "things to send", page.Page(t).Find("#wallet form").Length(), 2)
	a = nobody.Post(t, "/sandbox/wallet/withdrawals/"+strconv.FormatInt(w, 10))
	want(t, "back at the wallet", line(a.Code, a.To()), "303 /sandbox/wallet")
	want(t, "sent", strings.Join(b.Purse, ", "), "deposit 1, withdrawal "+strconv.FormatInt(w, 10))
}

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn = portaltest.Want, portaltest.WantIn
	line, says   = portaltest.Line, portaltest.Says
	noError      = testenv.NoError
)

// plays are the fields of the form, all zeroes, with some of them set.
func plays(set ...string) []string {
	values := map[string]string{}
	for _, method := range []string{"sbp", "sim", "card", "c2c", "iban"} {
		for _, field := range []string{
			"confirmedPercent", "wrongAmountPercent", "cancelledPercent", "delayFromSeconds", "delayToSeconds",
		} {
			values[method+"."+field] = "0"
		}
	}
	for i := 0; i < len(set); i += 2 {
		values[set[i]] = set[i+1]
	}
	var form []string
	for name, value := range values {
		form = append(form, name, value)
	}
	return form
}

// An operator has traders simulated: a payment is confirmed without one, until the simulation stops.
func TestSimulator(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	const path = "/operator/simulator"
	page := p.Page(t, path)
	want(t, "the default", page.Find("[name='sbp.confirmedPercent']").AttrOr("value", ""), "85")
	want(t, "methods", page.Find(".plays legend").Length(), 5)
	want(t, "to stop", page.Find("form[action$=stop]").Length(), 0)

	token := page.Find("[name=token]").AttrOr("value", "")
	a := p.Post(t, path, append(plays("sbp.confirmedPercent", "70", "sbp.cancelledPercent", "40"), "token", token)...)
	wrong := a.Page(t)
	want(t, "wrong", line(a.Code, wrong.Find("[id='sbp.confirmedPercent-wrong']").Text()), "422 must be at most 100 with the others")
	want(t, "what was typed", wrong.Find("[name='sbp.cancelledPercent']").AttrOr("value", ""), "40")
	a = p.Post(t, path, append(plays("iban.delayToSeconds", "soon"), "token", token)...)
	want(t, "no number", a.At(t, "[id='iban.delayToSeconds-wrong']"), "422 must be a whole number")

	made := b.Create(t, "1000")
	for range 2 { // the double click is one start
		a = p.Post(t, path, append(plays("sbp.confirmedPercent", "100"), "token", token)...)
		want(t, "started", line(a.Code, a.To()), "303 "+path)
		noError(t, b.Rooms.Simulator.Step(t.Context()))
	}
	wantIn(t, "counted", p.Page(t, path).Find(".figures").Text(), "Confirmed1")
	want(t, "the payment", b.Status(t, made), "completed")

	a = p.Post(t, path+"/stop")
	want(t, "stopped", line(a.Code, a.To()), "303 "+path)
	made = b.Create(t, "1001")
	noError(t, b.Rooms.Simulator.Step(t.Context()))
	want(t, "the next payment", b.Status(t, made), "pending")
}

// Whoever only reads sees how traders are simulated, and cannot change it.
func TestSimulatorForAuditors(t *testing.T) {
	_, p := portaltest.Operator(t, caller.Auditor)
	page := p.Page(t, "/operator/simulator")
	want(t, "buttons", page.Find("main button").Length(), 0)
	want(t, "fields", page.Find("fieldset:not([disabled])").Length(), 0)
	want(t, "a start", p.Post(t, "/operator/simulator", plays()...).Code, http.StatusForbidden)
}
