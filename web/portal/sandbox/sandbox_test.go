package sandbox_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/caller"
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

// A click signs in, and leads to what was asked for. The session before it
// ends.
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

// A post that does not say where it comes from, and one of another site, are
// refused.
func TestSandboxRefusesForeignPosts(t *testing.T) {
	browser := sandbox(t).Nobody()
	want(t, "from nowhere", browser.PostForm(t, "/sandbox/payments", nil).Code, http.StatusForbidden)
	want(t, "of another site", browser.PostForm(t, "/sandbox/sign-in", nil, "Origin", "http://evil.example").Code, http.StatusForbidden)
}

// Webhooks are verified and shown, the newest first, with everything escaped
// that a stranger sent.
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

// The wallet sends for a deposit that waits and pays a withdrawal that was
// handed over, and leads back to whose they are.
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

// What people do at these pages, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantIn = portaltest.Want, portaltest.WantIn
	line, says   = portaltest.Line, portaltest.Says
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

// An operator has traders simulated: a payment is confirmed without one, until
// the simulation stops.
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
		testenv.NoError(t, b.Services.Simulator.Step(t.Context()))
	}
	wantIn(t, "counted", p.Page(t, path).Find(".figures").Text(), "Confirmed1")
	want(t, "the payment", b.Status(t, made), "completed")

	a = p.Post(t, path+"/stop")
	want(t, "stopped", line(a.Code, a.To()), "303 "+path)
	made = b.Create(t, "1001")
	testenv.NoError(t, b.Services.Simulator.Step(t.Context()))
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
